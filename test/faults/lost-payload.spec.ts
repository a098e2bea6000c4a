import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runOperator } from '../server/run-millrace.js';
import { startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

const TIMEOUT_MS = 240_000;
const ROWS = 60_000;
const KEY = { 'idempotency-key': 'of the lost one' };
/** Its writer may be faster than the kill. */
const TRIES = 10;

describe('a payload that is gone from the folder of the queue', () => {
  let dataDirectory: string;
  let server: Server;
  let made = 0;
  const start = async (): Promise<void> => {
    server = await startServer({ dataDirectory, variables: { MILLRACE_LOG_LEVEL: 'error' } });
  };
  const send = async (stream: string, query = '', headers = {}) => {
    const body = JSON.stringify(Array.from({ length: ROWS }, (_, n) => ({ n, text: `row ${n}` })));
    const sent = await server.client.call(`/api/default/${stream}/_json${query}`, {
      body,
      headers,
    });
    return { status: sent.status, text: sent.bytes.toString() };
  };
  const payloads = (): string[] => readdirSync(join(dataDirectory, 'queue/payloads'));
  const letters = (): readonly string[] => {
    try {
      return readdirSync(join(dataDirectory, 'dead-letter'));
    } catch {
      return [];
    }
  };

  /** Leaves uploads on the queue. @returns the streams that they are of */
  const interrupted = async (): Promise<readonly string[]> => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      made += 1;
      const streams = [`one${made}`, `other${made}`];
      for (const stream of streams) await server.client.upload(stream, [{ n: 1, text: 'x' }]);
      const headers = streams.map((stream) => ({ 'idempotency-key': stream }));
      const sent = await Promise.all(streams.map((stream, n) => send(stream, '', headers[n])));
      await server.kill();
      expect(sent.map(({ status }) => status)).toEqual([200, 200]);
      if (payloads().length > 0) return streams;
      await start();
    }
    throw new Error('the writer was faster each time');
  };

  const countsOf = (streams: readonly string[]): Promise<readonly number[]> =>
    Promise.all(streams.map((stream) => server.client.count(stream)));

  /**
   * Leaves uploads on the queue, one of them without its file, and starts the server again. The
   * rows of that one may have been in their table at the kill; then it tries again.
   */
  const withoutPayload = async (): Promise<readonly string[]> => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const streams = await interrupted();
      rmSync(join(dataDirectory, 'queue/payloads', payloads()[0] ?? ''));
      await start();
      const areWhole = async (): Promise<boolean> =>
        (await countsOf(streams)).every((count) => count === ROWS + 1);
      await until(
        async () => payloads().length === 0 && (letters().length > 0 || (await areWhole())),
      );
      if (letters().length > 0) return streams;
    }
    throw new Error('all rows were in their tables each time');
  };

  beforeAll(async () => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-payload-'));
    await start();
  });
  afterAll(async () => {
    await server.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  it(
    'is told of as lost, and by nobody as stored; all else goes on',
    async () => {
      const streams = await withoutPayload();
      expect([letters().length, payloads().length]).toEqual([1, 0]);
      // The server's words come by a pipe, so the files may be seen before them.
      await until(() => Promise.resolve(server.output().includes("gone from the queue's folder")));
      const metrics = (await server.client.call('/metrics')).bytes.toString();
      expect(metrics).toMatch(/^millrace_dead_letter_batches 1$/m);
      const counts = await countsOf(streams);
      const [lost = ''] = streams.filter((_, n) => counts[n] === 1);
      const [whole = ''] = streams.filter((_, n) => counts[n] === ROWS + 1);
      expect(lost).not.toBe('');
      // The other upload is whole, on the queue or in its table at the kill.
      expect(whole).not.toBe('');
      // The next start knows it by what is kept.
      await server.stop();
      await start();
      for (const query of ['', '?wait=true'])
        expect(await send(lost, query, { 'idempotency-key': lost })).toEqual({
          status: 500,
          text: expect.stringMatching(
            /are lost: .*send what is missing again, with a new/,
          ) as string,
        });
      expect(await send(whole, '?wait=true', { 'idempotency-key': whole })).toMatchObject({
        status: 200,
      });
      expect(await send(lost, '?wait=true', KEY)).toMatchObject({ status: 200 });
      expect(await server.client.count(lost)).toBe(ROWS + 1);
      const variables = { MILLRACE_DATA_DIR: dataDirectory, MILLRACE_LOG_LEVEL: 'fatal' };
      const listed = await runOperator(['dead-letter', '--list'], {
        home: dataDirectory,
        variables,
      });
      expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining('lost')]);
    },
    TIMEOUT_MS,
  );
});
