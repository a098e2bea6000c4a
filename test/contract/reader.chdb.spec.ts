import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { tableFromIPC } from 'apache-arrow';
import { parquetReadObjects } from 'hyparquet';
import {
  WholeResult,
  type QueryProgress,
  type ResultFormat,
  type WarehouseReader,
} from '@app/warehouse';
import { endless } from './limits.js';
import { openReaderInProcess, type ReaderInProcess } from './open-reader-in-process.js';

/** Takes the engine minutes, in small steps. */
const ENDLESS = 'SELECT sum(cityHash64(number, 1)) AS endless FROM numbers(900000000000)';
/** The same sum is computed while the statement is analysed. */
const ENDLESS_SCALAR = `SELECT (${ENDLESS}) AS scalar`;

describe('reading with a real engine', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-reader-'));
  let engine: ReaderInProcess;
  let warehouse: WarehouseReader;

  beforeAll(() => {
    engine = openReaderInProcess(directory, endless(20), 2);
    warehouse = engine.reader;
  });
  afterAll(async () => {
    await engine.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const running = async (word: string): Promise<number> =>
    Number(
      await warehouse.text({
        sql: `SELECT count() FROM system.processes WHERE position(query, '${word}') > 0 AND position(query, 'processes') = 0`,
        format: 'text',
      }),
    );
  const until = async (condition: () => Promise<boolean>): Promise<number> => {
    const start = performance.now();
    while (!(await condition())) {
      if (performance.now() - start > 10_000) throw new Error('did not happen within 10 s');
      await delay(5);
    }
    return performance.now() - start;
  };

  it('answers nobody with what is left of a query whose client has gone', async () => {
    const read = async (sql: string, signal?: AbortSignal): Promise<string> =>
      text(await warehouse.stream({ sql, format: 'ndjson', ...(signal && { signal }) }));
    const both = [0, 1];
    for (let round = 0; round < 30; round += 1) {
      const client = new AbortController();
      const long = `SELECT 'gone' AS whose, number FROM numbers(200000)`;
      const left = both.map(() => read(long, client.signal).catch(() => 'cut'));
      // The kill comes before the first block, between the first and the second, or later.
      await delay(round % 7);
      client.abort(new Error('the client has gone'));
      await Promise.all(left);
      for (const whose of ['next', 'one more'])
        expect(await Promise.all(both.map(() => read(`SELECT '${whose}' AS whose`)))).toEqual(
          both.map(() => `{"whose":"${whose}"}\n`),
        );
    }
  });

  it.each([
    ['a scalar subquery', 'SELECT (SELECT max(cityHash64(number)) FROM numbers(2000000000))'],
    [
      'a constant',
      'SELECT arraySum(arrayMap(x -> cityHash64(cityHash64(cityHash64(x))), range(30000000)))',
    ],
  ])('keeps nobody waiting while %s is computed', async (_what, sql) => {
    let beats = 0;
    let longest = 0;
    let last = performance.now();
    const beat = setInterval(() => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
      beats += 1;
    }, 5);
    const start = performance.now();
    await text(await warehouse.stream({ sql, format: 'json' }));
    clearInterval(beat);
    // The query takes long enough to observe, and is never silent for more than a fraction of that.
    const whole = performance.now() - start;
    expect(whole).toBeGreaterThan(100);
    expect(beats).toBeGreaterThan(10);
    expect(longest).toBeLessThan(whole / 2);
  });

  it.each([
    ['before its first row', ENDLESS],
    ['while it is analysed', ENDLESS_SCALAR],
  ])('stops the engine when a query is aborted %s', async (_when, sql) => {
    const gone = new AbortController();
    const answer = warehouse.stream({ sql, format: 'json', signal: gone.signal });
    answer.catch(() => undefined);
    await until(async () => (await running('endless')) === 1);
    gone.abort();
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
    expect(await until(async () => (await running('endless')) === 0)).toBeLessThan(2000);
  });

  it('stops the engine when a query is aborted or its stream destroyed in the middle', async () => {
    const sql = 'SELECT number AS middle FROM numbers(4000000)';
    const gone = new AbortController();
    const aborted = await warehouse.stream({ sql, format: 'ndjson', signal: gone.signal });
    const destroyed = await warehouse.stream({ sql, format: 'ndjson' });
    expect(await running('middle')).toBe(2);
    gone.abort();
    destroyed.destroy();
    await expect(text(aborted)).rejects.toThrow();
    await until(async () => (await running('middle')) === 0);
  });

  it('stops what is read whole, too', async () => {
    const gone = new AbortController();
    const answer = warehouse.text({ sql: ENDLESS, format: 'text', signal: gone.signal });
    answer.catch(() => undefined);
    await until(async () => (await running('endless')) === 1);
    gone.abort();
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
    expect(await running('endless')).toBe(0);
  });

  it('gives each of many at the same time its own values', async () => {
    const sql = 'SELECT {n:UInt64} AS n, {s:String} AS s FROM numbers(3)';
    const ask = async (n: number): Promise<void> => {
      const params = { n, s: `it's \\ ${n}\n` };
      const rows = await text(await warehouse.stream({ sql, format: 'json', params }));
      expect(JSON.parse(rows)).toEqual(Array(3).fill({ n, s: params.s }));
    };
    await Promise.all(Array.from({ length: 40 }, (_, n) => ask(n)));
  });

  describe('a statement whose last answer was small', () => {
    const answer = async (
      sql: string,
      format: ResultFormat,
      n: number,
      signal?: AbortSignal,
    ): Promise<{ whole: boolean; bytes: string }> => {
      const params = { n };
      const rows = await warehouse.stream({ sql, format, params, ...(signal && { signal }) });
      return { whole: rows instanceof WholeResult, bytes: (await buffer(rows)).toString('latin1') };
    };

    it.each(['json', 'ndjson', 'csv', 'text', 'arrow-stream'] satisfies ResultFormat[])(
      'has the same bytes in %s when it comes whole',
      async (format) => {
        for (const n of [0, 1, 7]) {
          const sql = `SELECT number, 'größer' AS t, '${format} ${n}' AS x FROM numbers({n:UInt64})`;
          const streamed = await answer(sql, format, n);
          const whole = await answer(sql, format, n);
          expect(streamed.whole).toBe(false);
          expect(whole).toEqual({ whole: true, bytes: streamed.bytes });
        }
      },
    );

    it.each(['json', 'ndjson', 'csv', 'text'] satisfies ResultFormat[])(
      'has the same bytes in %s when it comes whole, with totals or without any row',
      async (format) => {
        for (const end of [
          'WHERE number > 100 GROUP BY a WITH TOTALS',
          'GROUP BY a WITH TOTALS HAVING a > 100',
          'GROUP BY a WITH TOTALS ORDER BY a LIMIT 0',
          'GROUP BY a WITH TOTALS ORDER BY a',
        ]) {
          const sql = `SELECT number AS a, count() AS c, '${format}' AS x FROM numbers(10) ${end}`;
          const streamed = await answer(sql, format, 0);
          const whole = await answer(sql, format, 0);
          expect(streamed.whole).toBe(false);
          expect(whole).toEqual({ whole: true, bytes: streamed.bytes });
          if (format === 'json') expect(() => void JSON.parse(whole.bytes)).not.toThrow();
        }
      },
    );

    it('ends in its totals in CSV', async () => {
      const sql =
        'SELECT number AS a, count() AS c FROM numbers(2) GROUP BY a WITH TOTALS ORDER BY a';
      expect((await answer(sql, 'csv', 0)).bytes).toBe('"a","c"\n0,1\n1,1\n\n0,2\n');
    });

    it('is streamed when there is more of it this time, and leaves nothing to the next', async () => {
      const sql = 'SELECT number AS grown FROM numbers({n:UInt64})';
      const other = 'SELECT number AS other FROM numbers({n:UInt64})';
      for (const each of [sql, other]) await answer(each, 'json', 3);
      const all = await answer(sql, 'json', 100_000);
      expect(all.whole).toBe(false);
      expect((JSON.parse(all.bytes) as unknown[]).at(-1)).toEqual({ grown: 99_999 });
      const small = await answer(other, 'json', 1);
      expect(small).toEqual({ whole: true, bytes: '[\n{"other":0}\n]\n' });
    });

    it('fails as any other, and leaves nothing to the next', async () => {
      const sql = 'SELECT throwIf({n:UInt64} = 3) AS failed, number FROM numbers({n:UInt64})';
      const { bytes } = await answer(sql, 'json', 2);
      await expect(answer(sql, 'json', 3)).rejects.toMatchObject({ code: 395 });
      expect(await answer(sql, 'json', 2)).toEqual({ whole: true, bytes });
    });

    it('is stopped when its client goes, and answers nobody else', async () => {
      // The statement has no placeholder: with one, the engine lists it without the mark it is
      // found by.
      const sql = `SELECT 'gone' AS whose, sum(cityHash64(number, 1)) AS forsaken FROM numbers(400000000)`;
      const next = `SELECT {n:UInt64} AS whose`;
      for (const each of [sql, next]) await answer(each, 'ndjson', 1);
      const both = [0, 1];
      for (let round = 0; round < 15; round += 1) {
        const client = new AbortController();
        const left = both.map(() => answer(sql, 'ndjson', 1, client.signal).catch(() => 'cut'));
        await delay(round % 5);
        client.abort();
        expect(await Promise.all(left)).toEqual(['cut', 'cut']);
        expect(await Promise.all(both.map((n) => answer(next, 'ndjson', n)))).toEqual(
          both.map((n) => ({ whole: true, bytes: `{"whose":${n}}\n` })),
        );
      }
      await until(async () => (await running('forsaken')) === 0);
    });
  });

  it('tells what was read', async () => {
    const told: QueryProgress[] = [];
    const sql = 'SELECT number FROM numbers(1000000)';
    await text(
      await warehouse.stream({ sql, format: 'ndjson', onProgress: (each) => told.push(each) }),
    );
    expect(told.at(-1)).toEqual({ rowsRead: 1_000_000, bytesRead: 8_000_000 });
  });

  it('applies settings to one query only', async () => {
    const sql =
      'SELECT toString(b.x) AS x FROM (SELECT 1 AS a) AS l LEFT JOIN (SELECT 2 AS x) AS b ON l.a = b.x';
    const read = async (settings: Record<string, string>): Promise<unknown> =>
      JSON.parse(await text(await warehouse.stream({ sql, format: 'json', settings })));
    expect(await read({})).toEqual([{ x: null }]);
    expect(await read({ join_use_nulls: '0' })).toEqual([{ x: '0' }]);
    expect(await read({})).toEqual([{ x: null }]);
  });

  describe.each(['arrow-stream', 'arrow-file', 'parquet'] satisfies ResultFormat[])(
    '%s',
    (format) => {
      const COLUMNS =
        "toUInt64(number) AS n, toString(number) AS s, if(number % 2 = 0, NULL, number / 4) AS f, toDateTime64('2026-01-01 00:00:00', 6, 'UTC') AS t, [number] AS a, toLowCardinality('x') AS lc, number % 3 = 0 AS b";
      const read = async (sql: string): Promise<Record<string, unknown>[]> => {
        const bytes = await buffer(await warehouse.stream({ sql, format }));
        if (format === 'parquet') {
          const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
          return parquetReadObjects({ file: file, utf8: true });
        }
        return tableFromIPC(bytes)
          .toArray()
          .map((row: { toJSON(): Record<string, unknown> }) => row.toJSON());
      };

      it('is read by others, whatever the number of blocks', async () => {
        const rows = await read(`SELECT ${COLUMNS} FROM numbers(70000) ORDER BY number`);
        expect(rows).toHaveLength(70_000);
        const last = rows[69_999];
        expect(last).toMatchObject({ n: 69_999n, s: '69999', f: 69_999 / 4 });
        expect(rows[66_000]).toMatchObject({ f: null });
        expect(
          new Date(Number(last?.['t'] instanceof Date ? last['t'].getTime() : last?.['t'])),
        ).toEqual(new Date('2026-01-01T00:00:00Z'));
      });

      it('is whole when there are no rows', async () => {
        expect(await read(`SELECT ${COLUMNS} FROM numbers(0)`)).toEqual([]);
      });

      it('leaves no file behind, and none when it fails', async () => {
        await read('SELECT 1 AS x');
        await expect(
          warehouse.stream({ sql: 'SELECT number FROM numbers(6000000)', format }).then(buffer),
        ).rejects.toMatchObject({ code: 396 });
        await until(async () =>
          Promise.resolve(readdirSync(join(directory, 'results')).length === 0),
        );
      });
    },
  );
});
