import { Readable } from 'node:stream';
import fastify from 'fastify';
import { pino } from 'pino';
import { sendError } from '@app/http';
import { MillraceError } from '@app/platform';
import { streamResult } from './stream-result.js';

const organization = { id: 'a', name: 'a', database: 'o_a', share: 'a' };

describe('an answer whose rows fail before its first byte', () => {
  const server = fastify();
  server.setErrorHandler((error, request, reply) =>
    sendError(error, request, reply, pino({ level: 'silent' })),
  );
  server.post('/sql', (request, reply) => {
    const rows = new Readable({
      read() {
        this.destroy(new MillraceError('QUERY_TIMEOUT', 'it took too long'));
      },
    });
    const queries = { run: () => Promise.resolve(rows) };
    return streamResult(queries, organization, '', request, reply);
  });
  afterAll(() => server.close());

  it.each([
    ['identity', ''],
    ['gzip', ''],
    ['br', ''],
    ['zstd', ''],
    ['br', 'trailers'],
    ['identity', 'trailers'],
  ])('is the error itself, in plain words (%s, TE: %s)', async (encoding, te) => {
    const answer = await server.inject({
      method: 'POST',
      url: '/sql',
      headers: { 'accept-encoding': encoding, te },
    });
    expect(answer.statusCode).toBe(408);
    expect(answer.headers).not.toHaveProperty('content-encoding');
    expect(answer.headers).not.toHaveProperty('trailer');
    expect(answer.json()).toEqual({ code: 408, message: 'it took too long' });
  });
});
