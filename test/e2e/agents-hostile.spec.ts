import { gzipSync } from 'node:zlib';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { compressSync } from 'snappy';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const PROTOBUF = { 'content-type': 'application/x-protobuf' };
const GZIPPED = { ...PROTOBUF, 'content-encoding': 'gzip' };
const JSON_TYPE = { 'content-type': 'application/json' };
const MIB = 1024 * 1024;
/** Messages of no bytes. */
const EMPTY = Buffer.alloc(8 * MIB, Buffer.from('0a00', 'hex'));
const LONG_MS = 20_000;

const ROUTES: readonly (readonly [string, Buffer, Record<string, string>])[] = [
  ['v1/logs', gzipSync(EMPTY), GZIPPED],
  ['v1/traces', gzipSync(EMPTY), GZIPPED],
  ['v1/metrics', gzipSync(EMPTY), GZIPPED],
  ['loki/api/v1/push', compressSync(EMPTY), PROTOBUF],
  ['prometheus/api/v1/write', compressSync(EMPTY), PROTOBUF],
];

describe('bodies of agents that could keep the server from others', () => {
  let server: BorrowedServer;

  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  /** Measures the slowest answer to another client while this work is on its way. */
  async function besides(work: Promise<unknown>): Promise<number> {
    let isDone = false;
    const done = work.finally(() => (isDone = true));
    let slowest = 0;
    while (!isDone) {
      const begun = performance.now();
      const { status } = await server.client.call('/healthz', { credentials: 'none' });
      expect(status).toBe(200);
      slowest = Math.max(slowest, performance.now() - begun);
    }
    await done;
    return slowest;
  }

  it.each(ROUTES)(
    'empty messages are refused, and others served: %s',
    async (path, body, headers) => {
      const begun = performance.now();
      const sent = server.client.call(path, { body, headers });
      // They took 12 microseconds and more each, in which nobody else was served: 50 seconds.
      expect(await besides(sent)).toBeLessThan(3000);
      expect((await sent).status).toBe(413);
      expect((await sent).bytes.toString()).toContain('split it');
      expect(performance.now() - begun).toBeLessThan(LONG_MS);
    },
  );

  it.each(['v1/logs', 'loki/api/v1/push'])(
    'JSON of quotes alone is refused, and others served: %s',
    async (path) => {
      const body = `[${'1'.repeat(16)} ${'\\"'.repeat(2 * MIB)}`;
      const sent = server.client.call(path, { body, headers: JSON_TYPE });
      expect(await besides(sent)).toBeLessThan(3000);
      expect((await sent).status).toBe(400);
    },
  );

  it('a hundred thousand records with attributes are stored', async () => {
    const { LengthDelimited, Bit64 } = WireType;
    const to = new BinaryWriter().tag(1, LengthDelimited).fork().tag(2, LengthDelimited).fork();
    for (let at = 0; at < 100_000; at += 1) {
      to.tag(2, LengthDelimited).fork().tag(1, Bit64).fixed64(1_795_439_974_406_741_761n);
      for (const key of ['user.id', 'path', 'method', 'host'])
        to.tag(6, LengthDelimited)
          .fork()
          .tag(1, LengthDelimited)
          .string(key)
          .tag(2, LengthDelimited)
          .fork()
          .tag(1, LengthDelimited)
          .string(`${at}`)
          .join()
          .join();
      to.join();
    }
    const body = gzipSync(Buffer.from(to.join().join().finish()));
    const sent = server.client.call('v1/logs?wait=true', { body, headers: GZIPPED });
    expect(await besides(sent)).toBeLessThan(3000);
    expect((await sent).status).toBe(200);
    const counted = await server.client.call('sql', {
      body: 'SELECT count() n FROM otel_logs',
    });
    expect(counted.json<{ n: number }[]>()[0]).toMatchObject({ n: 100_000 });
  });
});
