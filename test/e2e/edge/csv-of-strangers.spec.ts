import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { borrowServer, type BorrowedServer } from '../../server/borrow-server.js';
import { edgeInFolder } from '../../server/edge-in-folder.js';
import { until } from '../../server/until.js';

type Rows = readonly Readonly<Record<string, unknown>>[];

/** Texts that mean the same rows here and in an upload. */
const ALIKE: Readonly<Record<string, readonly [text: string, rows: Rows]>> = {
  'blanks around texts and names': [
    'a, b ,c\n1, x ,y\n2, z,  w  \n',
    [
      { a: 1, b: ' x ', c: 'y' },
      { a: 2, b: ' z', c: '  w  ' },
    ],
  ],
  'a blank before the first name': [' a,b\n x,1\ny,2\n', [{ a: ' x', b: 1 }, { a: 'y', b: 2 }]],
  'blanks before the only name': ['  a\nx\n  y\n', [{ a: 'x' }, { a: '  y' }]],
  'blanks around numbers': [
    'a,b,c\n1, 2 , .5\n 4,5 ,-6 \n',
    [
      { a: 1, b: 2, c: 0.5 },
      { a: 4, b: 5, c: -6 },
    ],
  ],
  'blanks alone': ['a,b\n  ,1\n5,2\n', [{ a: '  ', b: 1 }, { a: '5', b: 2 }]],
  'blanks around truths and days': [
    'a,b\n true, 2020-01-01\nfalse,2020-01-02\n',
    [
      { a: ' true', b: ' 2020-01-01' },
      { a: 'false', b: '2020-01-02' },
    ],
  ],
  'tabs around values': ['a,b\n\tx\t,\t1\n', [{ a: '\tx\t', b: '\t1' }]],
  'blanks around quotes': [
    '"a", "b",   "c"\n1, "x, ""y""" ,  "z"\n2, "p\nq", "r"\n',
    [
      { a: 1, b: 'x, "y"', c: 'z' },
      { a: 2, b: 'p\nq', c: 'r' },
    ],
  ],
  'a line that says its delimiter': ['sep=;\na;b\n1;x,y\n', [{ a: 1, b: 'x,y' }]],
  'such a line of Windows': ['sep=\t\r\na\tb\r\n1\tx\r\n', [{ a: 1, b: 'x' }]],
  'such a line behind a byte order mark': ['\ufeffsep=|\na|b\n1|x\n', [{ a: 1, b: 'x' }]],
  'semicolons and decimal commas': ['a;b\n1,5;x\n2,25;y\n', [{ a: '1,5', b: 'x' }, { a: '2,25', b: 'y' }]],
  tabs: ['a\tb\n1\tx y\n2\t z\n', [{ a: 1, b: 'x y' }, { a: 2, b: ' z' }]],
  bars: ['a|b\n1|x\n', [{ a: 1, b: 'x' }]],
  'quoted names with commas': ['"a,a,a";b\n1;x\n', [{ 'a,a,a': 1, b: 'x' }]],
  'a byte order mark': ['\ufeffa;b\r\n1;x\r\n', [{ a: 1, b: 'x' }]],
  'a byte order mark before quotes': ['\ufeff"a","b"\n1,x\n', [{ a: 1, b: 'x' }]],
  'a byte order mark, and two of one name': ['\ufeffa, a\n1,x\n', [{ a: 1, a_2: 'x' }]],
  'blank lines before and behind': ['\n\r\na,b\n1,x\n\n\n', [{ a: 1, b: 'x' }]],
  'blank lines between': ['a,b\n1,x\n\n2,y\r\n\r\n\n3,z\n', [{ a: 1, b: 'x' }, { a: 2, b: 'y' }, { a: 3, b: 'z' }]],
  'blank lines below names': ['\ufeff"a","b"\n\n1,x\n', [{ a: 1, b: 'x' }]],
  'blank lines among short ones': ['a,b,c\n1,x\n\n3,y,5\n', [{ a: 1, b: 'x', c: null }, { a: 3, b: 'y', c: 5 }]],
  'blank lines between numbers of one column': ['a\n1\n\n2\n', [{ a: 1 }, { a: 2 }]],
  'blank lines between texts of one column': ['a\nx\n\r\n""\ny\n\n', [{ a: 'x' }, { a: '' }, { a: 'y' }]],
  'blank lines within quotes and without': ['a,b\n1,"x\n\ny"\n\n2, "p\n\n""q"""\n', [{ a: 1, b: 'x\n\ny' }, { a: 2, b: 'p\n\n"q"' }]],
  'line breaks within quotes': ['a,b\n1,"x\ny"\n2,"p\r\nq"\n', [{ a: 1, b: 'x\ny' }, { a: 2, b: 'p\r\nq' }]],
  'numbers in quotes': ['"a","b","c"\n"1","2.5","x"\n"2","3","y"\n', [{ a: 1, b: 2.5, c: 'x' }, { a: 2, b: 3, c: 'y' }]],
  'numbers with exponents': ['a,b,c\n1e5,1E5,-2.5e-3\n2,3,4\n', [{ a: 100000, b: 100000, c: -0.0025 }, { a: 2, b: 3, c: 4 }]],
  'truths of Python and of spreadsheets': ['a,b\nTrue,TRUE\nFalse,FALSE\n', [{ a: true, b: true }, { a: false, b: false }]],
  'zeros before numbers in quotes': ['a,b\n"007",1\n"008",2\n', [{ a: '007', b: 1 }, { a: '008', b: 2 }]],
  'short lines': ['a,b,c\n1,x,3\n4,"y"\n5\n', [{ a: 1, b: 'x', c: 3 }, { a: 4, b: 'y', c: null }, { a: 5, b: null, c: null }]],
  'a short line at the end': ['a;b;c\r\n1;x;3\r\n2', [{ a: 1, b: 'x', c: 3 }, { a: 2, b: null, c: null }]],
  'short lines with blanks': ['  a,b,c\n  1,x,3\n 4, y\n', [{ a: 1, b: 'x', c: 3 }, { a: 4, b: ' y', c: null }]],
  'short lines below names that are missing': [',a,\n1,2\n3,4,5\n', [{ column_1: 1, a: 2, column_3: null }, { column_1: 3, a: 4, column_3: 5 }]],
  'words of floats': ['n,a,b\n1,1.5,NaN\n2,Infinity,x\n3,-inf,y\n4,nan,z\n', [{ n: 1, a: 1.5, b: 'NaN' }, { n: 2, a: null, b: 'x' }, { n: 3, a: null, b: 'y' }, { n: 4, a: null, b: 'z' }]],
  'names that are missing': [',a,\n0,1,2\n', [{ column_1: 0, a: 1, column_3: 2 }]],
}; // prettier-ignore

const REFUSED: readonly (readonly [what: string, text: string | Buffer, message: string])[] = [
  [
    'too many fields behind too few',
    'a,b,c\n1,2\n3,4,5,6\n',
    'line 3 of t.csv has 4 fields, and line 1 has 3',
  ],
  [
    'what follows quotes in such a file',
    'a,b\n1\n2,"x"y\n',
    'line 3 of t.csv has a value in quotes, and no delimiter follows it',
  ],
  ['too many fields', 'a,b\n1,"x\ny"\n2,3,4\n', 'line 4 of t.csv has 3 fields, and line 1 has 2'],
  ['a delimiter behind each row', 'a,b\n1,2,\n', 'line 2 of t.csv has 3 fields'],
  ['a title', 'Report\na,b\n1,2\n', 'line 2 of t.csv has 2 fields, and line 1 has 1 field'],
  [
    'too many fields below a blank line',
    'a,b\n\n1,2,3\n',
    'line 2 of t.csv has 3 fields, and line 1 has 2 fields, parted by ",": none may have more; delimiter= says what parts them; blank lines are not counted',
  ],
  ['blank lines alone', '\n\n', 'there is nothing in it'],
  ['UTF-16 without a mark', Buffer.from('a,b\n1,x\n', 'utf16le'), 'UTF-16'],
  ['blanks that would be lost', 'a,b\n1, "x"\n 2 , y \n', 'the value " y " in line 3 has blanks'],
  [
    'blanks that would be lost beside short lines',
    'a,b\nx,1\n y,2\nz\n',
    'line 3 of t.csv begins with " y", whose blanks would be dropped because line 4 has fewer fields',
  ],
  [
    'a number among texts whose blanks would be lost',
    'a,b\n 12,1\nz\n',
    'line 2 of t.csv begins with " 12", whose blanks would be dropped because line 3 has',
  ],
  [
    'a text that begins as a number, whose blanks would be lost',
    'a,b\n 2 apples,1\n3\n',
    'line 2 of t.csv begins with " 2 apples", whose blanks would be dropped',
  ],
  ['numbers that may be texts', 'a,b\n1, "x"\n2, 3\n', 'the value " 3" in line 3 has blanks'],
];

describe('CSV of strangers', () => {
  const own = edgeInFolder('edge-strangers-');
  const { folder } = own;
  let server: BorrowedServer;
  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  const write = (text: string | Buffer, name = 't.csv'): void => {
    writeFileSync(join(folder, name), text);
  };
  const register = async (uri: string): Promise<string> => {
    const made = await own.edge.post('/api/table', [{ tableName: 't', uri }]);
    return made.status === 200 ? '' : made.text;
  };
  const rows = async (): Promise<unknown> =>
    JSON.parse((await own.edge.sql('SELECT * FROM t')).text);

  it.each(Object.entries(ALIKE))('%s mean the same here and in an upload', async (what, [text, expected]) => {
    write(text);
    write(gzipSync(text), 'packed.csv.gz');
    const packed = text.endsWith('\n\n') ? [] : ['packed.csv.gz'];
    for (const uri of ['t.csv', 't.csv,materialize=false', ...packed]) {
      expect(await register(uri)).toBe('');
      expect(await rows()).toEqual(expected);
    }
    const stream = `s_${Object.keys(ALIKE).indexOf(what)}`;
    const answer = await server.client.call(`${stream}/_csv?wait=true`, {
      body: text,
      headers: { 'content-type': 'text/csv' },
    });
    expect(answer.json()).toMatchObject({ status: [{ failed: 0 }] });
    const first = Object.keys(expected[0] ?? {})[0] ?? '';
    const stored = (await server.client.sql(`SELECT * EXCEPT _timestamp FROM ${stream}`)) as Rows;
    const by = (all: Rows): Rows =>
      [...all].sort((one, other) => (String(one[first]) < String(other[first]) ? -1 : 1));
    expect(by(stored)).toEqual(by(expected));
  }); // prettier-ignore

  it.each(REFUSED)('%s are refused, with their place', async (_, text, message) => {
    write(text);
    expect(await register('t.csv')).toContain(JSON.stringify(message).slice(1, -1));
  });

  it('short lines are told, and found behind many others', async () => {
    const many = Array.from({ length: 40_000 }, (_, n) => `${n},x${n},${n}\n`).join('');
    for (const more of ['', ',materialize=false']) {
      write(`a,b,c\n${many}7,8\n9\n`);
      expect(await register(`t.csv${more}`)).toBe('');
      const counted = await own.edge.sql('SELECT count() AS n, count(c) AS c, sum(a) AS a FROM t');
      expect(JSON.parse(counted.text)).toEqual([{ n: 40_002, c: 40_000, a: 799_980_016 }]);
    }
    await until(() => Promise.resolve(own.edge.output().includes('t.csv has 2 lines with fewer fields than its first one (line 40002)'))); // prettier-ignore
  });

  it('short lines beside blanks before a text are refused in a first line without names, and in another file', async () => {
    write(' x,1,2\ny,2\n');
    expect(await register('t.csv,has_header=false')).toContain('line 1 of t.csv begins with');
    mkdirSync(join(folder, 'blanks'));
    write('a,b,c\nx,z,2\n y,z,2\n', 'blanks/1.csv');
    expect(await register('blanks,format=csv')).toBe('');
    write('a,b,c\nx,z\ny,z,1\n', 'blanks/2.csv');
    expect(await register('blanks,format=csv')).toContain('line 3 of 1.csv begins with \\" y\\", whose blanks would be dropped because lines of another file have fewer fields');
  }); // prettier-ignore

  it('a line that is too long, and comes later, is not cut where lines may be short', async () => {
    write('a,b,c\n1,2,3\n4,5\n');
    expect(await register('t.csv,materialize=false')).toBe('');
    write('a,b,c\n1,2,3\n4,5,6,7\n');
    const answer = await own.edge.sql('SELECT * FROM t');
    expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('line 3 has 4 fields')]);
  }); // prettier-ignore

  it('the delimiter that is said is taken', async () => {
    write('a;b,c\n1;2,3\n');
    expect(await register('t.csv,delimiter=,')).toBe('');
    expect(await rows()).toEqual([{ 'a;b': '1;2', c: 3 }]);
    write('sep=;\na,b\n1,2\n');
    expect(await register('t.csv,delimiter=,')).toBe('');
    expect(await rows()).toEqual([{ a: 1, b: 2 }]);
  });

  it('columns that are declared are found behind blanks', async () => {
    const columns = ['b', 'c'].map((name) => ({ name, data_type: 'Utf8', nullable: true }));
    const schema = `schema=${JSON.stringify({ columns })}`;
    write('a, b\n1, x \n');
    for (const more of ['', ',materialize=false']) {
      expect(await register(`t.csv,${schema}${more}`)).toBe('');
      expect(await rows()).toEqual([{ b: ' x ', c: null }]);
    }
    write('n,b,c\n 007,x\n +5,y,z\n');
    const numbers = { columns: [{ name: 'n', data_type: 'Int64', nullable: true }] };
    expect(await register(`t.csv,schema=${JSON.stringify(numbers)}`)).toBe('');
    expect(await rows()).toEqual([{ n: 7 }, { n: 5 }]);
  });

  it('values without names are parted by commas where there are any', async () => {
    write('x | y,1\nz,2\n');
    expect(await register('t.csv,has_header=false')).toBe('');
    expect(await rows()).toEqual([
      { column_1: 'x | y', column_2: 1 },
      { column_1: 'z', column_2: 2 },
    ]);
    write('x;1\nz;2\n');
    expect(await register('t.csv,has_header=false')).toBe('');
    expect(await rows()).toEqual([
      { column_1: 'x', column_2: 1 },
      { column_1: 'z', column_2: 2 },
    ]);
    write('\ufeffx,1\n');
    expect(await register('t.csv,has_header=false')).toContain('byte order mark');
  });

  it('files of a folder are written alike, or refused', async () => {
    mkdirSync(join(folder, 'many'));
    write('a; b\n1; x\n', 'many/1.csv');
    write('a; b\n2;y\n', 'many/2.csv');
    write('a; b\n', 'many/3.csv');
    expect(await register('many,format=csv')).toBe('');
    expect(JSON.parse((await own.edge.sql('SELECT * FROM t ORDER BY a')).text)).toEqual([
      { a: 1, b: ' x' },
      { a: 2, b: 'y' },
    ]);
    write('b;a\nz;3\n', 'many/3.csv');
    expect(await register('many,format=csv')).toContain('blanks around one');
    write('a, b\n3,z\n', 'many/3.csv');
    expect(await register('many,format=csv')).toContain('are parted by');
    write('sep=;\na; b\n3;z\n', 'many/3.csv');
    expect(await register('many,format=csv')).toContain('3.csv has 1: blank lines');
    write('a; b\n3; "z"\n', 'many/3.csv');
    expect(await register('many,format=csv')).toContain('1.csv is no CSV');
  });

  it('blank lines are passed over in some files of a folder, whose stamps are followed', async () => {
    for (const year of [2023, 2024]) mkdirSync(join(folder, `blank/year=${year}`), { recursive: true });
    write('a,b\n1,x\n\n2,y\n', 'blank/year=2023/1.csv');
    write('a,b\n3,"z\n\n"\n', 'blank/year=2024/2.csv');
    for (const more of ['', ',materialize=false', ',reload_interval=1']) {
      expect(await register(`blank,format=csv${more}`)).toBe('');
      const sql = 'SELECT a, b, year FROM t ORDER BY a';
      expect(JSON.parse((await own.edge.sql(sql)).text)).toEqual([
        { a: 1, b: 'x', year: 2023 },
        { a: 2, b: 'y', year: 2023 },
        { a: 3, b: 'z\n\n', year: 2024 },
      ]);
    }
    write('a,b\n3,z\n\n4,w\n', 'blank/year=2024/2.csv');
    await until(async () => (await own.edge.sql('SELECT sum(a) AS s FROM t')).text.includes('10'));
  }); // prettier-ignore

  it('blank lines that come later are refused until the table is read again', async () => {
    write('a\n1\n2\n');
    expect(await register('t.csv,materialize=false')).toBe('');
    expect(await rows()).toEqual([{ a: 1 }, { a: 2 }]);
    write('a\n1\n\n2\n');
    const answer = await own.edge.sql('SELECT * FROM t');
    expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('blank lines have come')]);
  }); // prettier-ignore

  it('a file that changes to quotes behind blanks is not read as before', async () => {
    write('a,b\n1,x\n');
    expect(await register('t.csv,materialize=false')).toBe('');
    expect(await rows()).toEqual([{ a: 1, b: 'x' }]);
    write('a,b\n1,x\n2, "y"\n');
    const answer = await own.edge.sql('SELECT b FROM t ORDER BY a');
    expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('quotes behind blanks')]);
  }); // prettier-ignore
});
