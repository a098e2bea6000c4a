import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { mostMemory, residentBytes } from '../bench/process-memory.js';
import { seededRandom } from '../fixtures/seeded-random.js';
import { CAMPAIGN, rounds } from '../rounds.js';
import { filesOf, tar, zip } from '../server/archive.js';
import { makeParquet } from '../server/make-parquet.js';
import { startServer, type Server } from '../server/start-server.js';

/** This many rounds are the campaign's; a seed can be given to go through one again. */
const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? rounds(50, 5_000));
const SEED = Number(process.env.FUZZ_SEED ?? (CAMPAIGN ? Date.now() % 1_000_000 : 13));
const TIMEOUT_MS = CAMPAIGN ? 3 * 3600_000 : 300_000;
/** One answer may take so long. */
const ANSWER_MS = 60_000;
/** Such uploads may take at most so much memory; their files have some kilobytes. */
const MEMORY_BYTES = 700 * 1024 * 1024;
/** A stream has so many mutated names before another one takes over. */
const UPLOADS_A_STREAM = 40;

const FIXTURES = join(import.meta.dirname, '../fixtures');

interface Original {
  readonly name: string;
  readonly route: '_parquet' | '_arrow' | '_delta_lake';
  readonly bytes: Buffer;
  /** Wraps a file as it is sent. */
  wrap?(bytes: Buffer): Promise<Buffer> | Buffer;
}

const filesIn = (folder: string, ending: RegExp, route: Original['route']): readonly Original[] =>
  readdirSync(join(FIXTURES, folder))
    .filter((name) => ending.test(name))
    .map((name) => ({ name, route, bytes: readFileSync(join(FIXTURES, folder, name)) }));

/** Whole files, and tables of which one file is mutated. */
async function originals(): Promise<Original[]> {
  const files = filesIn('parquet', /\.parquet$/, '_parquet');
  const arrow = filesIn('arrow', /\.arrows?$/, '_arrow');
  const tables: Original[] = [];
  for (const table of [
    'deletion-vectors',
    'checkpointed',
    'inline-deletion-vector',
    'partitioned',
  ]) {
    const content = filesOf(join(FIXTURES, 'delta', table), 't/');
    for (const [path, bytes] of content) {
      if (!/_delta_log|deletion_vector|part-00000/.test(path) || path.endsWith('.crc')) continue;
      tables.push({
        name: path,
        route: '_delta_lake',
        bytes: Buffer.from(bytes),
        wrap: (mutated) => tar(new Map([...content, [path, mutated]])),
      });
    }
    tables.push({ name: `${table}.tar`, route: '_delta_lake', bytes: await tar(content) });
    tables.push({ name: `${table}.zip`, route: '_delta_lake', bytes: await zip(content) });
  }
  return [...files, ...files, ...arrow, ...tables];
}

/** Bytes flipped, set to what lengths like to break on, put in, taken out, doubled, or cut off. */
function mutated(original: Buffer, random: () => number, nearEnd: boolean): Buffer {
  const below = (n: number): number => Math.floor(random() * n);
  let bytes = Buffer.from(original);
  const times = 1 + below(4);
  for (let time = 0; time < times && bytes.length > 0; time += 1) {
    // A Parquet file says what it is at its end.
    const from = nearEnd && random() < 0.8 ? Math.max(0, bytes.length - 3000) : 0;
    const at = from + below(bytes.length - from);
    const kind = below(7);
    if (kind === 0) bytes[at] = (bytes[at] ?? 0) ^ (1 << below(8));
    else if (kind === 1) bytes[at] = below(256);
    else if (kind === 2) bytes[at] = [0, 0x7f, 0x80, 0xff, 0xfc, 0xf9][below(6)] ?? 0;
    else if (kind === 3)
      bytes.fill(random() < 0.5 ? 0xff : 0, at, Math.min(bytes.length, at + 1 + below(12)));
    else if (kind === 4)
      bytes = Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(Array.from({ length: 1 + below(6) }, () => below(256))),
        bytes.subarray(at),
      ]);
    else if (kind === 5)
      bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + below(6))]);
    else
      bytes = Buffer.concat([
        bytes.subarray(0, at),
        bytes.subarray(at, at + below(64)),
        bytes.subarray(at),
      ]);
  }
  return bytes;
}

describe('tables that are not what they claim', () => {
  let server: Server;
  let baseline: number;
  beforeAll(async () => {
    server = await startServer();
    // Memory that the engine takes once does not depend on the files.
    const types = readFileSync(join(FIXTURES, 'parquet/types.parquet'));
    await server.client.call('/api/default/warm/_parquet', { body: types });
    baseline = residentBytes(server.process.pid ?? 0);
  }, 120_000);
  afterAll(() => server.stop());

  const grown = (): number => mostMemory(server.process.pid ?? 0) - baseline;

  it(
    `are refused or stored exactly, in ${ROUNDS} mutations (seed ${SEED})`,
    async () => {
      const random = seededRandom(SEED);
      const all = await originals();
      const seen = new Map<number, number>();
      const faults: unknown[] = [];
      let stream = '';
      let stored = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        if (round % UPLOADS_A_STREAM === 0) {
          if (stream !== '') {
            expect(stored === 0 ? 0 : await server.client.count(stream)).toBe(stored);
            await server.client.call(`/api/default/streams/${stream}`, { method: 'DELETE' });
          }
          stream = `mutated${round}`;
          stored = 0;
        }
        const original = all[Math.floor(random() * all.length)];
        if (!original) continue;
        const changed = mutated(original.bytes, random, original.name.endsWith('.parquet'));
        const body = original.wrap ? await original.wrap(changed) : changed;
        const startedAt = performance.now();
        const answer = await server.client.call(
          `/api/default/${stream}/${original.route}?wait=true`,
          { body },
        );
        const tookMs = performance.now() - startedAt;
        seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
        const text = answer.bytes.toString();
        if (answer.status === 200)
          stored += answer
            .json<{ status: readonly { successful: number }[] }>()
            .status.reduce((sum, { successful }) => sum + successful, 0);
        if ((answer.status !== 200 && Math.floor(answer.status / 100) !== 4) || tookMs > ANSWER_MS)
          faults.push({ round, name: original.name, status: answer.status, tookMs, text });
      }
      expect(faults).toEqual([]);
      // There must be some of either, or the mutations are of no use.
      expect(seen.get(400)).toBeGreaterThan(ROUNDS / 10);
      expect(seen.get(200)).toBeGreaterThan(0);
      expect(grown()).toBeLessThan(MEMORY_BYTES);
      expect((await server.client.call('/readyz', { credentials: 'none' })).status).toBe(200);
    },
    TIMEOUT_MS,
  );

  it(
    'are refused when they have more columns than a stream, before one is made',
    async () => {
      const columns = Array.from({ length: 2_100 }, (_, n) => `${n} AS c${n}`);
      const answer = await server.client.call('/api/default/wide/_parquet', {
        body: makeParquet(`SELECT ${columns.join(', ')}`),
      });
      expect([answer.status, answer.bytes.toString()]).toEqual([
        400,
        expect.stringContaining('the table has 2100 columns, and a stream can have 2000'),
      ]);
      expect((await server.client.call('/api/default/wide/schema')).status).toBe(404);
    },
    TIMEOUT_MS,
  );

  /** A file whose footer is this. */
  const withFooter = (footer: Buffer): Buffer => {
    const tail = Buffer.from('0000PAR1');
    tail.writeUInt32LE(footer.length, 0);
    return Buffer.concat([Buffer.from('PAR1'), footer, tail]);
  };
  const MEBI = 1024 * 1024;
  /** A list's first byte, then its size as Thrift writes it. */
  const list = (type: number, size: number): number[] => {
    const bytes = [0xf0 | type];
    for (let left = size; ; left = Math.floor(left / 128)) {
      bytes.push(left >= 128 ? (left % 128) | 0x80 : left);
      if (left < 128) return bytes;
    }
  };
  /** These footers stand for 60 MB, take kilobytes on the wire, or claim what is not there. */
  const FOOTERS: readonly [string, () => Buffer][] = [
    [
      '60 million structures',
      () => Buffer.concat([Buffer.from([0x29, ...list(12, 60 * MEBI)]), Buffer.alloc(60 * MEBI)]),
    ],
    [
      '60 million row groups',
      () =>
        Buffer.concat([
          Buffer.from([0x29, 0x0c, 0x16, 0x00, 0x19, ...list(12, 60 * MEBI)]),
          Buffer.alloc(60 * MEBI),
        ]),
    ],
    ['a list of four thousand million', () => Buffer.from([0x29, ...list(12, 2 ** 32 - 1), 0])],
    ['text without an end', () => Buffer.from([0x28, 0xff, 0xff, 0xff, 0xff, 0x0f, 0])],
    ['nothing but beginnings of lists', () => Buffer.alloc(MEBI, 0x19)],
    ['nothing but beginnings of structures', () => Buffer.alloc(MEBI, 0x1c)],
  ];
  it.each(FOOTERS)(
    'are refused when the footer has %s',
    async (_, footer) => {
      const answer = await server.client.call('/api/default/bomb/_parquet', {
        body: gzipSync(withFooter(footer())),
        headers: { 'content-encoding': 'gzip' },
      });
      expect([answer.status, answer.bytes.toString()]).toEqual([
        400,
        expect.stringContaining('is not a readable Parquet file'),
      ]);
      expect(grown()).toBeLessThan(MEMORY_BYTES);
    },
    TIMEOUT_MS,
  );
});
