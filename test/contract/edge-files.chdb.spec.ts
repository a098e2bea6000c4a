import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parseTableUri } from '../../libs/edge/describe/table-argument.js';
import { COPIES } from '../../libs/edge/registry/prepare/copies.js';
import { prepareTable } from '../../libs/edge/registry/prepare/prepare-table.js';
import { fileChecks } from '../../libs/edge/registry/check/checked-files.js';
import { openSource } from '../../libs/edge/registry/prepare/open-source.js';
import { sourcesUnderTest } from './sources-under-test.js';

describe('files of the edge program', () => {
  const sources = sourcesUnderTest();
  beforeAll(() => sources.engine.statements.run(`CREATE DATABASE ${COPIES}`));

  const write = (file: string, content: string | Buffer): void => {
    mkdirSync(join(sources.folder, file, '..'), { recursive: true });
    writeFileSync(join(sources.folder, file), content);
  };
  const prepare = (uri: string) => prepareTable(parseTableUri('t', uri), sources.workshop);
  const rows = async (uri: string): Promise<string> => {
    const { copy, select } = await prepare(uri);
    const from = copy ? copy.table : `(${select})`;
    return sources.engine.statements.run(`SELECT * FROM ${from} ORDER BY ALL FORMAT CSV`);
  };

  it.each(['', ',materialize=false'])('names of a file without rows are texts%s', async (more) => {
    write('names.csv', '007,1e3,2020-01-01,true, b ,"c"\n');
    const { columns } = await prepare(`names.csv${more}`);
    expect(columns).toEqual(
      ['007', '1e3', '2020-01-01', 'true', 'b', 'c'].map((name) => ({
        name,
        type: 'Nullable(String)',
      })),
    );
  });

  it('a folder of a value has a column of it with its first row', async () => {
    write('parts/year=2024/names.csv', 'a,b\n');
    const { columns } = await prepare('parts,format=csv');
    expect(columns.map(({ name }) => name)).toEqual(['a', 'b']);
    write('parts/year=2024/rows.csv', 'a,b\n1,2\n');
    expect(await rows('parts,format=csv')).toBe('1,2,2024\n');
  });

  it.each(['', ',materialize=false'])('a name is no pattern where it is a file%s', async (more) => {
    write('odd/a{1,2}.csv', 'a\nown\n');
    write('odd/a1.csv', 'a\nother\n');
    write('odd/b*.csv', 'a\nown\n');
    write('odd/bc.csv', 'a\nother\n');
    write('odd{x,y}/deep/c.csv', 'a\nown\n');
    write('oddx/deep/c.csv', 'a\nother\n');
    for (const uri of ['odd/a{1,2}.csv', 'odd/b*.csv', 'odd{x,y},format=csv'])
      expect([uri, await rows(uri + more)]).toEqual([uri, '"own"\n']);
    expect(await rows(`odd/a{1,3}.csv${more}`)).toBe('"other"\n');
  });

  it.each(['', ',materialize=false'])('nor is that of a packed file%s', async (more) => {
    write('packed/a{1,2}.csv.gz', gzipSync(',a\n1,own\n'));
    write('packed/a1.csv', ',a\n1,other\n');
    expect(await rows(`packed/a{1,2}.csv.gz${more}`)).toBe('1,"own"\n');
    expect(await rows(`packed,format=csv${more}`)).toBe('1,"other"\n1,"own"\n');
    write('packed/a{1,2}.csv.gz', gzipSync(',a\n1,"own\n'));
    await expect(rows(`packed/a{1,2}.csv.gz${more}`)).rejects.toThrow('never closed');
    await expect(rows(`packed,format=csv${more}`)).rejects.toThrow('never closed');
  });

  it('a packed file that unpacks to more than there is room for is refused', async () => {
    write('bomb.csv.gz', gzipSync(`a\n"${'x'.repeat(100_000)}`));
    const described = parseTableUri('t', 'bomb.csv.gz');
    const source = await openSource(described, sources.workshop);
    const check = (room: number) =>
      fileChecks(described, source, { ...sources.workshop, room: () => Promise.resolve(room) })?.();
    await expect(check(100_002)).rejects.toThrow('bomb.csv.gz unpacks to more than 100002 bytes');
    await expect(check(100_003)).rejects.toThrow('never closed');
    expect(readdirSync(sources.folder).filter((name) => name.endsWith('.unpacked'))).toEqual([]);
  });
});
