import { ORGANIZATION_NAME } from '@app/identity';
import { type ApiTerms, REQUEST_ID } from '@app/openapi';

const DESCRIPTION = `Upload files into streams and query them at once.

Every request but those for health, sign-in and signing up needs HTTP Basic: e-mail and password, or e-mail and the organization's passcode to upload, query and list streams; or a token of the organization, as \`Authorization: Bearer\`. A browser may have the cookie of a session. Failures are JSON: \`{"code", "message", "error_detail"?}\`, where a protocol has no form of its own. Every response says its \`X-Request-Id\`. Uploads and commands take an \`Idempotency-Key\` header: sent again with it, they change nothing a second time, and another request under the same key is a 409.`;

/** Streams of Millrace's own begin with `_`. */
const STREAM = { example: 'logs', pattern: '^[A-Za-z0-9._-]{1,127}$' };

/** Routes that change nothing, or do not know their caller. */
const WITHOUT_KEY =
  /^\/api\/(?:auth\/|signup)|\/(?:sql|graphql|_search|_search_partition|clickhouse|catalog|verify|_refresh)$|\/_(?:index_template|template|ilm|data_stream)\//;

/** The hosted service's description of itself at `/docs`. */
export const API_TERMS: ApiTerms = {
  title: 'Millrace',
  description: DESCRIPTION,
  bearerFormat: 'mr_…',
  parameters: {
    org: {
      description: 'Name of the organization',
      example: 'default',
      pattern: ORGANIZATION_NAME.source,
    },
    stream: { description: 'Name of the stream', ...STREAM },
    table: { description: 'Name of the stream, as a table', ...STREAM },
    email: { description: 'E-mail of the account', example: 'ann@example.com' },
    key: { description: 'What is looked up', example: 'a' },
    name: { description: 'Its name', example: 'shipper' },
    id: { description: 'Id of the record, kept as `_id`', example: '1' },
  },
  headers: [
    REQUEST_ID,
    {
      name: 'Idempotency-Key',
      description: 'Sent again with it, the request changes nothing a second time',
      example: 'load-2026-01-02',
      pattern: '^.{1,255}$',
      isTaken: (method, path) => method !== 'get' && method !== 'head' && !WITHOUT_KEY.test(path),
    },
  ],
  everywhere: {
    401: [
      'UNAUTHORIZED',
      'credentials are missing or wrong; send HTTP Basic with e-mail and password',
    ],
    403: [
      'FORBIDDEN',
      'you may not do this in organization acme, or there is no such organization',
    ],
    429: [
      'TOO_MANY_REQUESTS',
      'too many failed logins for this account or from this address; wait and try again',
    ],
  },
};
