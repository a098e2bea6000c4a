import type { FastifyInstance } from 'fastify';
import { failureForm } from '@app/http';
import { asClickHouse } from './as-clickhouse.js';

/** The prefix of our tokens. */
const TOKEN = /^mr_/;

/**
 * Converts `X-ClickHouse-User` and `X-ClickHouse-Key` to an Authorization header, if a request has
 * no such header and its route speaks ClickHouse's protocol.
 */
export function readClickHouseCredentials(fastify: Pick<FastifyInstance, 'addHook'>): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request;
    const [user, key] = [headers['x-clickhouse-user'], headers['x-clickhouse-key']];
    const isTaken = failureForm(request) === asClickHouse;
    if (isTaken && headers.authorization === undefined && typeof key === 'string')
      headers.authorization = TOKEN.test(key)
        ? `Bearer ${key}`
        : `Basic ${Buffer.from(`${typeof user === 'string' ? user : ''}:${key}`).toString('base64')}`;
    done();
  });
}
