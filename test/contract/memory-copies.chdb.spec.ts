import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Holding, SourceReader, TableRegistry, type Workshop } from '@app/edge';
import { createLogger } from '@app/platform';
import { MemoryAllowance } from '../../libs/edge/memory-allowance.js';
import { makeParquet } from '../server/make-parquet.js';
import { until } from '../server/until.js';
import { sourcesUnderTest } from './sources-under-test.js';

const MIB = 1024 ** 2;
const NONE = new MemoryAllowance(0);

describe('a copy in memory of a table in place', () => {
  const sources = sourcesUnderTest();
  const log = createLogger('silent');
  let asks = 0;
  let isOpen = false;

  /** A file of numbers, each of them eight bytes in memory. */
  const write = (file: string, count: number, first = 0): void => {
    const at = join(sources.folder, file);
    writeFileSync(`${at}.new`, makeParquet(`SELECT number + ${first} AS n FROM numbers(${count})`));
    renameSync(`${at}.new`, at);
  };

  /** Tables that are all read in place, and what is told of them. */
  const opened = async (files: readonly string[], bytes: number, terms: Partial<Workshop> = {}) => {
    const asked = new MemoryAllowance(bytes);
    const holding = new Holding(0, NONE, asked);
    const told: string[] = [];
    const tell = (sentence: string): void => void told.push(sentence);
    const workshop = { ...sources.workshop, ...terms, holding, toldOfMemory: tell };
    const registry = new TableRegistry(workshop, log);
    const reader = new SourceReader(sources.engine.reader, registry, log);
    const tables = files.map((uri) => ({ name: uri.replace('.parquet', ''), uri, options: { format: 'parquet' as const } })); // prettier-ignore
    await (isOpen ? registry.change({ put: tables }) : registry.open(tables));
    isOpen = true;
    const ask = async (sql: string, { database, release } = registry.hold()): Promise<number> => {
      const answer = reader.stream({ sql: `WITH q_${(asks += 1)} AS (SELECT 1) ${sql}`, database, format: 'csv' }); // prettier-ignore
      return answer.then(text).then((csv) => Number(csv.split('\n')[1])).finally(release); // prettier-ignore
    };
    const sum = (table: string, hold = registry.hold()): Promise<number> =>
      ask(`SELECT sum(n) AS n FROM ${table}`, hold);
    const toldAfter = (table: string, count: number): Promise<void> =>
      until(async () => (await sum(table), told.length === count));
    return { asked, registry, ask, sum, told, toldAfter };
  };
  const copies = async (): Promise<number> =>
    Number(await sources.engine.statements.run(`SELECT count() FROM system.tables WHERE engine = 'Memory' AND database LIKE 'o\\\\_%' FORMAT TSVRaw`)); // prettier-ignore

  it('takes no more than there is for all, and is not tried again for the same files', async () => {
    write('a.parquet', 1_000_000);
    write('b.parquet', 1_000_000, 1);
    write('packed.parquet', 1000);
    const { asked, registry, sum, told, toldAfter } = await opened(
      ['a.parquet', 'b.parquet', 'packed.parquet'],
      12 * MIB,
    );
    await toldAfter('a', 1);
    expect(told[0]).toMatch(/^a: held in memory now, 7\.\d MiB$/);
    expect(asked.left).toBeLessThan(5 * MIB);
    await toldAfter('b', 2);
    expect(told[1]).toMatch(/^b: not held in memory, where 4\.\d MiB are left for it$/);
    await toldAfter('packed', 3);
    expect(told[2]).toMatch(/^packed: held in memory now, /);
    for (let n = 0; n < 5; n += 1) expect(await sum('b')).toBe((1_000_000 * 1_000_001) / 2);
    expect(told).toHaveLength(3);
    const held = registry.hold();
    await registry.change({ drop: ['a', 'packed'] });
    expect(await sum('a', held)).toBe((999_999 * 1_000_000) / 2);
    await until(() => Promise.resolve(asked.left === 12 * MIB));
    await until(async () => (await copies()) === 0);
  });

  it('is given up where its rows take more than their files say', async () => {
    const at = join(sources.folder, 'same.parquet');
    writeFileSync(at, makeParquet(`SELECT repeat('x', 1000) AS n FROM numbers(600000)`));
    const { asked, registry, ask, told } = await opened(['same.parquet'], 2 * MIB);
    await until(
      async () => (await ask('SELECT max(length(n)) AS n FROM same')) === told.length * 1000,
    );
    expect(told).toEqual(['same: not held in memory, where 2.0 MiB are left for it']);
    expect([asked.left, await copies()]).toEqual([2 * MIB, 0]);
    await registry.change({ drop: ['same'] });
  });

  it('is thrown away where the files change while it is made', async () => {
    write('c.parquet', 1000);
    let changes = 0;
    const { statements } = sources.engine;
    const run: typeof statements.run = async (sql, params) => {
      const isCopy = sql.includes('ENGINE = Memory AS');
      const answer = await statements.run(sql, params);
      if (isCopy && (changes += 1) === 1) write('c.parquet', 1000, 1);
      return answer;
    };
    const engine = { ...sources.engine, statements: { run } };
    const { asked, registry, sum, told } = await opened(['c.parquet'], MIB, { engine });
    await until(async () => (await sum('c'), changes === 1));
    expect(await sum('c')).toBe(500500);
    await until(async () => (await sum('c'), told.length === 1));
    expect([changes, await sum('c')]).toEqual([2, 500500]);
    write('c.parquet', 1000, 2);
    expect(await sum('c')).toBe(501500);
    await until(() => Promise.resolve(asked.left === MIB));
    await registry.change({ drop: ['c'] });
  });
});
