import { Controller, Get, Header, Put, Req } from '@nestjs/common';
import { Describe, organizationOf, Requires, type AuthenticatedRequest } from '@app/platform';

/** Clients of Elasticsearch check this header, and give up without it. */
export const PRODUCT_HEADER = { 'X-Elastic-Product': 'Elasticsearch' };
const [[PRODUCT = '', ELASTICSEARCH = ''] = []] = Object.entries(PRODUCT_HEADER);
/**
 * The version of Elasticsearch whose bulk interface this is. Filebeat accepts only a server that is
 * not older than itself, unless it is configured otherwise.
 */
const VERSION = '8.19.0';

const TAG = 'Elasticsearch clients';

const LICENSE = { license: { status: 'active', type: 'basic', uid: 'millrace' } };
const FEATURES = { features: { ilm: { available: false, enabled: false } } };
const ACKNOWLEDGED = { acknowledged: true };

/** Java's clients take an answer without one of these for a failure. Nobody looks at the values. */
const BUILD = {
  distribution: 'elasticsearch',
  build_flavor: 'default',
  build_type: 'tar',
  build_hash: '0'.repeat(40),
  build_date: '2025-07-01T00:00:00Z',
  build_snapshot: false,
};
/** A cluster of one node, whose index has no replicas. */
const SHARDS = {
  number_of_nodes: 1,
  number_of_data_nodes: 1,
  active_primary_shards: 1,
  active_shards: 1,
  relocating_shards: 0,
  initializing_shards: 0,
  unassigned_shards: 0,
  unassigned_primary_shards: 0,
  delayed_unassigned_shards: 0,
  number_of_pending_tasks: 0,
  number_of_in_flight_fetch: 0,
  task_max_waiting_in_queue_millis: 0,
  active_shards_percent_as_number: 100,
};
const HEALTH = { cluster_name: 'millrace', status: 'green', timed_out: false, ...SHARDS };

/** @param organization its name; to its clients, each organization is a cluster of its own */
const info = (organization: string) => ({
  name: 'millrace',
  cluster_name: organization,
  cluster_uuid: `millrace-${organization}`,
  version: {
    number: VERSION,
    ...BUILD,
    lucene_version: '9.12.2',
    minimum_wire_compatibility_version: '7.17.0',
    minimum_index_compatibility_version: '7.0.0',
  },
  tagline: 'You Know, for Search',
});

/**
 * Answers the questions that Filebeat, Logstash, Vector and the official clients ask before they
 * send their first bulk request, with `/api/{org}` as their base path. It says that templates,
 * policies and data streams are there: a stream needs none, and a client that does not find one
 * tries to make it without end.
 */
@Controller('api/:org')
@Requires('upload')
export class ElasticsearchController {
  @Get()
  @Header(PRODUCT, ELASTICSEARCH)
  @Describe({
    tag: TAG,
    summary: 'The version of Elasticsearch whose bulk interface this is',
    answer: info('default'),
  })
  info(@Req() request: AuthenticatedRequest): unknown {
    return info(organizationOf(request).name);
  }

  @Get('_license')
  @Header(PRODUCT, ELASTICSEARCH)
  @Describe({
    tag: TAG,
    summary: 'A licence, which Filebeat and Logstash look for',
    answer: LICENSE,
  })
  license(): unknown {
    return LICENSE;
  }

  @Get('_xpack')
  @Header(PRODUCT, ELASTICSEARCH)
  @Describe({ tag: TAG, summary: 'Features that there are not', answer: FEATURES })
  features(): unknown {
    return FEATURES;
  }

  @Get('_cluster/health')
  @Header(PRODUCT, ELASTICSEARCH)
  @Describe({ tag: TAG, summary: 'Whether it can be sent to, for Vector', answer: HEALTH })
  health(): unknown {
    return HEALTH;
  }

  @Get(['_index_template/:name', '_template/:name', '_ilm/policy/:name', '_data_stream/:name'])
  @Header(PRODUCT, ELASTICSEARCH)
  @Describe({
    tag: TAG,
    summary: 'Says that it is there, so that nobody tries to make it',
    answer: {},
  })
  present(): unknown {
    return {};
  }

  @Put(['_index_template/:name', '_template/:name', '_ilm/policy/:name', '_data_stream/:name'])
  @Header(PRODUCT, ELASTICSEARCH)
  @Describe({
    tag: TAG,
    summary: 'Changes nothing: a stream takes its columns from its records and its settings',
    answer: ACKNOWLEDGED,
  })
  acknowledge(): unknown {
    return ACKNOWLEDGED;
  }
}
