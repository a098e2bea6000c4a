import { ORGANIZATION_NAME } from '@app/identity';
import type { ApiTerms } from '@app/openapi';

const DESCRIPTION = `Upload files into streams and query them at once.

Every request needs HTTP Basic: e-mail and password, or e-mail and the organization's passcode for upload and query; or a token of the organization, as \`Authorization: Bearer\`. Failures are JSON: \`{"code", "message", "error_detail"?}\`. Every response says its \`X-Request-Id\`. Commands take an \`Idempotency-Key\` header: sent again with it, they change nothing a second time, and another body under the same key is refused.`;

/** Streams of Millrace's own begin with `_`. */
const STREAM = { example: 'logs', pattern: '^[A-Za-z0-9._-]{1,127}$' };

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
