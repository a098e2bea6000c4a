import { type ApiTerms, REQUEST_ID } from '@app/openapi';

/** The text of the API's description that belongs to no single route. */
export const EDGE_TERMS: ApiTerms = {
  title: 'Millrace edge',
  description: `Query files, folders, object stores and databases as tables.

Where the program was started with \`--token\`, requests need it: \`Authorization: Bearer <token>\`, or HTTP Basic with the token as password. Failures are JSON: \`{"code", "message", "error_detail"?}\`. Every response says its \`X-Request-Id\`.`,
  parameters: {
    table: { description: 'Name of the table', example: 'cities' },
    store: { description: 'Name of the key-value store', example: 'titles' },
    key: { description: 'What is looked up', example: 'a' },
  },
  headers: [REQUEST_ID],
  everywhere: {
    401: ['UNAUTHORIZED', 'the token is missing or wrong; send Authorization: Bearer <token>'],
    403: [
      'FORBIDDEN',
      'without --token the program answers to localhost, 127.0.0.1 and [::1] only; call it by one of these names, or start it with --token',
    ],
  },
};
