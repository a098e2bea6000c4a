/** Requests of Elasticsearch's and OpenSearch's clients that are not answered, by their words. */
const HINTS: readonly (readonly [words: RegExp, hint: (org: string) => string])[] = [
  [
    /^(?:_search|_msearch|_async_search|_count|_mget|_source|_doc|_create|_explain|_field_caps|_validate|_termvectors|_pit|_sql|_esql|_eql|_query|_plugins|_knn_search|_rank_eval|_terms_enum)$/,
    rowsAre,
  ],
  [
    /^(?:_update|_update_by_query|_delete_by_query|_reindex)$/,
    () => "a stream's records stay as they came; send index or create",
  ],
  [
    /^(?:_mapping|_mappings|_settings|_stats|_cat|_alias|_aliases|_resolve|_segments|_recovery)$/,
    (org) =>
      `GET /api/${org}/streams lists the streams, GET /api/${org}/{stream}/schema tells the columns of one, and PUT /api/${org}/streams/{stream}/settings declares types`,
  ],
  [
    /^(?:_ingest|_scripts|_rollover|_shrink|_split|_clone|_open|_close|_flush|_forcemerge|_cache|_tasks|_snapshot|_ilm|_slm|_transform)$/,
    () => 'there is no need for it here: an upload is all that is wanted',
  ],
];

/** Paths of other products behind which rows are, in `/api/{organization}` or without it. */
const READS = /^\/(?:(?:loki|prometheus)\/api\/v1\/(?!push$|write$)|v0\/(?:sql|pipes)(?:\/|$))/;

/** Tinybird's path of records. */
const RECORDS = '/v0/events';

/** These change or remove a document: they are not asked to read it. */
const CHANGES = /^(?:DELETE|PATCH)$/;

interface AskedRoute {
  readonly method: string;
  readonly path: string;
}

/**
 * Says what to send where a client asks for a path that is not there: one without `/api/{organization}`
 * before it or with two slashes, one without `_json` behind a stream's name, or a request that only
 * Elasticsearch, Loki, Prometheus or Tinybird answers.
 * @param methodsAt the methods that the routes at a path take
 */
export function routeHint(
  { method, path }: AskedRoute,
  methodsAt: (path: string) => readonly string[],
): string | undefined {
  const takes = (other: string): boolean => methodsAt(other).includes(method);
  const oneSlash = path.replace(/\/{2,}/g, '/');
  if (oneSlash !== path) return takes(oneSlash) ? `did you mean ${oneSlash}?` : undefined;
  const [root, api, organization, ...segments] = path.split('/');
  if (root !== '' || api === undefined) return undefined;
  if (api !== 'api') {
    if (path === RECORDS) return recordsGo('/api/{organization}/{stream}');
    if (READS.test(path)) return rowsAre('{organization}');
    return takes(`/api/x${path}`) && hasWord(path) ? meant(path) : undefined;
  }
  const rest = path.slice('/api'.length);
  if (organization === undefined || organization === '') return undefined;
  const words = [organization, ...segments].filter((segment) => segment.startsWith('_'));
  if (organization.startsWith('_') || words.length > 0) {
    const word = organization.startsWith('_') ? undefined : words[0];
    const found = word === undefined ? undefined : hintOf(method, word, organization);
    return found ?? (takes(`/api/x${rest}`) ? meant(rest) : undefined);
  }
  if (hasWord(rest) && takes(`/api/x${rest}`)) return meant(rest);
  const [stream, ...more] = segments;
  if (READS.test(`/${segments.join('/')}`)) return rowsAre(organization);
  if (method === 'POST' && stream && more.length === 0 && takes(`${path}/_json`))
    return recordsGo(path);
  return undefined;
}

function hintOf(method: string, word: string, organization: string): string | undefined {
  if (CHANGES.test(method) && word === '_doc') return hintOf(method, '_update', organization);
  const known = HINTS.find(([words]) => words.test(word));
  return known?.[1](organization);
}

/** Each path of uploads and queries has one of these, which other paths have not. */
const hasWord = (path: string): boolean =>
  /\/_\w|\/v\d\/|^\/(?:sql|streams|graphql)$|^\/(?:tables|kv)\//.test(path);

function rowsAre(organization: string): string {
  return `rows are asked for in SQL: POST /api/${organization}/sql`;
}

const recordsGo = (stream: string): string => `records go to POST ${stream}/_json`;

const meant = (rest: string): string => `did you mean /api/{organization}${rest}?`;
