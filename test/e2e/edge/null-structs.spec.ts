import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROAPI_FIXTURES, startEdge, type Edge } from '../../server/start-edge.js';
import { until } from '../../server/until.js';

const file = (codec: string): string =>
  join(import.meta.dirname, `../../fixtures/parquet/null-objects-${codec}.parquet`);
const CODECS = ['none', 'snappy', 'gzip', 'brotli', 'zstd', 'lz4'].flatMap((codec) => [
  `${codec}-1`,
  `${codec}-2`,
]);

/** `make_files.py` made these rows. A null within a struct reads like a field that is null. */
const S = [{ a: 0, b: 'b0', in: { z: 0 } }, null, { a: null, b: null, in: { z: null } }];
const NULLS = `SELECT countIf(s IS NULL) AS s, countIf(r IS NULL) AS r, countIf(runs IS NULL) AS runs, countIf(never IS NULL) AS never, count(*) AS n FROM`;
const COUNTS = { s: 100, r: 43, runs: 190, never: 0, n: 300 };

describe('structs of Parquet that are null', () => {
  let folder: string;
  let edge: Edge | undefined;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'edge-nulls-'))));
  afterEach(async () => {
    await edge?.stop();
    edge = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = async (sql: string): Promise<unknown> => {
    const { status, text } = (await edge?.sql(sql)) ?? { status: 0, text: '' };
    return status === 200 ? JSON.parse(text) : [status, text];
  };

  it.each(['true', 'false'])('are null where the table is copied: %s', async (materialize) => {
    const of = (name: string, path: string): string[] => [
      '-t',
      `${name}=${path},format=parquet,materialize=${materialize}`,
    ];
    edge = await startEdge([
      ...of('blogs', join(ROAPI_FIXTURES, 'blogs.parquet')),
      ...CODECS.flatMap((codec) => of(codec.replace('-', '_'), file(codec))),
    ]);
    expect(await ask('SELECT count(*) AS n FROM blogs WHERE reply IS NULL')).toEqual([{ n: 245 }]);
    expect(await ask('SELECT count(reply) AS n, count(reply.reply_id) AS ids FROM blogs')).toEqual([
      { n: 255, ids: 255 },
    ]);
    for (const codec of CODECS) {
      const table = codec.replace('-', '_');
      expect([codec, await ask(`${NULLS} ${table}`)]).toEqual([codec, [COUNTS]]);
      expect(await ask(`SELECT s FROM ${table} WHERE id < 3 ORDER BY id`)).toEqual(
        S.map((s) => ({ s })),
      );
    }
    const { fields } = (await edge.get('/api/schema/blogs')).json<{ fields: object[] }>();
    expect(fields[0]).toMatchObject({ name: 'reply', nullable: true });
    expect(edge.output()).not.toContain('are read as structs whose fields');
  });

  it('are those of each file, and of what a file becomes', async () => {
    copyFileSync(file('zstd-1'), join(folder, 'a.parquet'));
    copyFileSync(file('snappy-2'), join(folder, 'b.parquet'));
    edge = await startEdge(['-t', `t=${folder},format=parquet,materialize=false`]);
    const rows = 'SELECT id, s IS NULL AS none FROM t WHERE id < 3 ORDER BY id';
    const twice = [false, false, true, true, false, false].map((none, at) => ({
      id: Math.floor(at / 2),
      none,
    }));
    expect(await ask(rows)).toEqual(twice);
    const double = Object.fromEntries(Object.entries(COUNTS).map(([key, n]) => [key, 2 * n]));
    expect(await ask(`${NULLS} t`)).toEqual([double]);
    copyFileSync(file('none-1'), join(folder, 'new'));
    renameSync(join(folder, 'new'), join(folder, 'c.parquet'));
    await until(async () => JSON.stringify(await ask(`${NULLS} t`)).includes('"s":300'));
  });
});
