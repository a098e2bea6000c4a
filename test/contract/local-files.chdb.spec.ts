import { join } from 'node:path';
import { LocalFiles } from '../../libs/edge/follow/local-files.js';
import { sourcesUnderTest } from './sources-under-test.js';

describe('files of a followed stream', () => {
  const sources = sourcesUnderTest();

  const write = async (name: string, select: string): Promise<string> => {
    const file = join(sources.folder, name);
    await sources.engine.statements.run(`INSERT INTO FUNCTION file('${file}', Parquet) ${select}`);
    return file;
  };

  it('become one, with nulls where one lacks a column and objects as they were', async () => {
    const first = await write(
      'a.parquet',
      `SELECT toNullable(1) AS a, CAST('{"k":[{"n":1}],"t":"é"}', 'JSON') AS o, toDateTime64('2026-01-02 03:04:05.678901', 6, 'UTC') AS at`,
    );
    const second = await write(
      'b.parquet',
      `SELECT toNullable(number) AS a, CAST('{}', 'JSON') AS o, toDateTime64(0, 6, 'UTC') AS at, toNullable('x') AS late FROM numbers(2, 3)`,
    );
    const empty = await write('c.parquet', 'SELECT toNullable(1) AS a LIMIT 0');
    const files = new LocalFiles(sources.engine.statements);
    expect(await files.rows(second)).toBe(3);
    const merged = join(sources.folder, 'merged.parquet');
    const columns = [
      { name: 'a', type: 'Nullable(Int64)' },
      { name: 'o', type: 'JSON' },
      { name: 'at', type: "DateTime64(6, 'UTC')" },
      { name: 'late', type: 'Nullable(String)' },
    ];
    await files.merge([first, second, empty], columns, merged);
    const structure = columns.map(({ name, type }) => `${name} ${type.replaceAll("'", "\\'")}`);
    const rows = await sources.engine.statements.run(
      `SELECT toJSONString(tuple(a, o, at, late)) FROM file('${merged}', Parquet, '${structure.join(', ')}') ORDER BY a`,
    );
    expect(rows.trim().split('\n')).toEqual([
      '[1,{"k":[{"n":1}],"t":"é"},"2026-01-02T03:04:05.678901Z",null]',
      '[2,{},"1970-01-01T00:00:00.000000Z","x"]',
      '[3,{},"1970-01-01T00:00:00.000000Z","x"]',
      '[4,{},"1970-01-01T00:00:00.000000Z","x"]',
    ]);
  });

  it('are counted only where they are whole', async () => {
    const files = new LocalFiles(sources.engine.statements);
    await sources.engine.statements.run(
      `INSERT INTO FUNCTION file('${join(sources.folder, 'no.parquet')}', RawBLOB) SELECT 'PAR1 and no more'`,
    );
    await expect(files.rows(join(sources.folder, 'no.parquet'))).rejects.toThrow();
  });
});
