import { Holding } from '@app/edge';
import { MemoryAllowance } from '../../libs/edge/memory-allowance.js';
import { COPIES, dropCopy, makeCopy } from '../../libs/edge/registry/prepare/copies.js';
import { sourcesUnderTest } from './sources-under-test.js';

const MIB = 1024 ** 2;

describe('a copy of a table', () => {
  const sources = sourcesUnderTest();
  beforeAll(() => sources.engine.statements.run(`CREATE DATABASE ${COPIES}`));

  const rowsOf = (bytes: number, sourceBytes: number | undefined) => ({
    select: `SELECT repeat('x', 1000) AS t FROM numbers(${bytes / 1000})`,
    settings: { max_threads: '1' },
    bytes: sourceBytes,
  });
  const engines = (): Promise<string> =>
    sources.engine.statements.run(
      `SELECT engine FROM system.tables WHERE database = '${COPIES}' ORDER BY 1 FORMAT TSVRaw`,
    );

  it.each([
    ['in memory, where its files and its rows are small', MIB, 10_000, 'Memory'],
    ['on disk, where small files unpack to much', MIB, 60_000_000, 'MergeTree'],
    ['on disk, where they unpack to more than may be tried', MIB, 600_000_000, 'MergeTree'],
    ['on disk, where its files are large', 10 * MIB, 10_000, 'MergeTree'],
    ['on disk, where nobody knows', undefined, 10_000, 'MergeTree'],
  ])('lies %s', async (_where, sourceBytes, bytes, kind) => {
    const { engine } = sources;
    const terms = { engine, holding: new Holding() };
    const copy = await makeCopy(rowsOf(bytes, sourceBytes), terms);
    expect(await engines()).toBe(`${kind}\n`);
    const sum = `SELECT sum(length(t)) FROM ${copy.table} FORMAT TSVRaw`;
    expect(Number(await engine.statements.run(sum))).toBe(bytes);
    await dropCopy({ ...copy, bytes: 0 }, terms);
    expect(await engines()).toBe('');
  });

  it('lies on disk where memory is used up, until one goes', async () => {
    const { engine } = sources;
    const terms = { engine, holding: new Holding(0, new MemoryAllowance(1_500_000)) };
    const make = async () => ({ ...(await makeCopy(rowsOf(1_000_000, MIB), terms)), bytes: 0 });
    const first = await make();
    const second = await make();
    expect(await engines()).toBe('Memory\nMergeTree\n');
    await dropCopy(first, terms);
    const third = await make();
    expect(await engines()).toBe('Memory\nMergeTree\n');
    await dropCopy(second, terms);
    await dropCopy(third, terms);
  });

  it('says what is wrong with its rows', async () => {
    const rows = { select: `SELECT toUInt8('many') AS n`, settings: {}, bytes: MIB };
    const made = makeCopy(rows, { engine: sources.engine, holding: new Holding() });
    await expect(made).rejects.toThrow('many');
    expect(await engines()).toBe('');
  });
});
