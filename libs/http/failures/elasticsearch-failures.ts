import type { IncomingHttpHeaders } from 'node:http';

/** A failure has a name that Elasticsearch gives it, and a reason in words. */
interface NamedFailure {
  readonly type: string;
  readonly reason: string;
  readonly index?: string;
}

/** Elasticsearch's own clients ask for this type, in every request. */
const MEDIA_TYPE = /\bvnd\.elasticsearch\+/;
const OPENSEARCH = /^opensearch-/i;

/** Tells whether an official client of Elasticsearch or OpenSearch is asking. */
export const isElasticsearchClient = ({
  accept,
  'user-agent': agent,
}: IncomingHttpHeaders): boolean => MEDIA_TYPE.test(accept ?? '') || OPENSEARCH.test(agent ?? '');

/**
 * A failure in Elasticsearch's form. Official clients get nothing beside it: the one for Java does
 * not read a failure that has other fields, and then tells its user about JSON.
 */
export const elasticsearchFailure = (
  { headers }: { readonly headers: IncomingHttpHeaders },
  status: number,
  { type, reason, ...more }: NamedFailure,
) => ({
  ...(isElasticsearchClient(headers) ? {} : { code: status, message: reason }),
  error: { root_cause: [{ type, reason, ...more }], type, reason, ...more },
  status,
});
