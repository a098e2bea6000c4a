import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { until } from '../../server/until.js';
import { edgeInFolder } from '../../server/edge-in-folder.js';

const AS_TEXT: Readonly<Record<string, readonly string[]>> = {
  'days in two orders': ['01/02/2020', '12/31/2019'],
  'days that leave a doubt': ['01/02/2020', '03/04/2019'],
  'short days': ['1/2/20', '12/31/99'],
  'days with dashes': ['01-02-2020', '31-12-2019'],
  'numbers of parts': ['2020-01-01-001', '2020-01-01-002'],
  'a day of no calendar': ['2020-02-30', '2020-01-01'],
  'a year without its leap day': ['1900-02-29', '2020-02-29'],
  'a second too many': ['2016-12-31 23:59:60', '2020-01-01 10:00:00'],
  'an hour too many': ['2020-01-01 24:00:00', '2020-01-01 10:00:00'],
  'digits that no time has': ['2300-01-01 10:00:00.5', '2020-01-01 10:00:00.123456789'],
  'long integers': ['4111111111111111111111', '4111111111111111111112'],
  'a long integer beside a fraction': ['9007199254740993', '1.5'],
  'days before 1900': ['1850-01-01', '2020-01-01'],
  'times before 1900': ['1887-05-12 00:00:00', '1893-10-30 00:00:00'],
  'days after 2299': ['2400-01-01', '2020-01-01'],
  'codes with zeros before them': ['00123', '12'],
  'codes beside fractions': ['00123', '1.5'],
  'numbers with a plus': ['+1', '2'],
  'integers above and below': ['9223372036854775808', '-1'],
};
const TYPED: Readonly<Record<string, readonly [readonly string[], readonly unknown[]]>> = {
  days: [
    ['2020-02-29', '2019/12/31'],
    ['2020-02-29', '2019-12-31'],
  ],
  times: [
    ['2020-01-01T10:00:00+02:00', '2020-01-01 10:00', '2020-01-01 10:00:00.5Z'],
    ['2020-01-01T08:00:00.000000Z', '2020-01-01T10:00:00.000000Z', '2020-01-01T10:00:00.500000Z'],
  ],
  nanoseconds: [
    ['2020-01-01 10:00:00.123456789', '2020-01-01 10:00:00'],
    ['2020-01-01T10:00:00.123456789Z', '2020-01-01T10:00:00.000000000Z'],
  ],
  floats: [
    ['9007199254740992', '0.5'],
    [9007199254740992, 0.5],
  ],
};

describe('CSV is what is written there', () => {
  const own = edgeInFolder('edge-written-');
  const { folder } = own;

  const read = async (text: string, more = ''): Promise<unknown> => {
    writeFileSync(join(folder, 't.csv'), text);
    const made = await own.edge.post('/api/table', [{ tableName: 't', uri: `t.csv${more}` }]);
    if (made.status !== 200) return made.text;
    return JSON.parse((await own.edge.sql('SELECT * FROM t')).text);
  };
  const inPlace = ',materialize=false';

  it.each(Object.entries(AS_TEXT))('%s are text', async (_, texts) => {
    const rows = texts.map((v, n) => ({ n, v }));
    const text = `n,v\n${rows.map(({ n, v }) => `${n},${v}\n`).join('')}`;
    expect(await read(text)).toEqual(rows);
    expect(await read(text, inPlace)).toEqual(rows);
    const nameless = rows.map(({ n, v }) => ({ column_1: n, column_2: v }));
    expect(await read(text.replace('n,v\n', ''), ',has_header=false')).toEqual(nameless);
  });

  it.each(Object.entries(TYPED))('%s have a type', async (_, [texts, values]) => {
    const text = `n,v\n${texts.map((v, n) => `${n},${v}\n`).join('')}`;
    expect(await read(text)).toEqual(values.map((v, n) => ({ n, v })));
  });

  it.each(['', inPlace])(
    'hundreds of columns are looked at, each by its values%s',
    async (more) => {
      const places = Array.from({ length: 300 }, (_, at) => at);
      const line = (value: (at: number) => string): string => `${places.map(value).join(',')}\n`;
      const plain = line((at) => `c${at}`) + line((at) => `${at}.5`) + line((at) => `${at + 1}`);
      const found = places.map((at) => [at + 0.5, at + 1]);
      const rowsOf = (kinds: readonly (readonly unknown[])[]): unknown =>
        [0, 1].map((row) => Object.fromEntries(places.map((at) => [`c${at}`, kinds[at]?.[row]])));
      expect(await read(plain, more)).toEqual(rowsOf(found));
      const odd = plain + line((at) => (at === 150 ? '007' : '1'));
      const [first, , last] = (await read(odd, more)) as Record<string, unknown>[];
      expect([first?.c149, first?.c150, last?.c149, last?.c150]).toEqual([
        149.5,
        '150.5',
        1,
        '007',
      ]);
    },
  );

  it.each([
    ['2020-02-29', '2021-01-01'],
    ['1900-01-01', '1969-07-20'],
    ['2020-02-29', '', '2299-12-31'],
    ['2150-01-01', '1950-05-05'],
  ])('days are days, whatever their year: %s, %s', async (...days) => {
    const text = `n,v\n${days.map((v, n) => `${n},${v}\n`).join('')}`;
    for (const more of ['', inPlace]) {
      expect(await read(text, more)).toEqual(days.map((v, n) => ({ n, v: v === '' ? null : v })));
      const types = await own.edge.sql('SELECT DISTINCT toTypeName(v) AS t FROM t');
      expect(JSON.parse(types.text)).toEqual([{ t: 'Nullable(Date32)' }]);
    }
  });

  it.each(['', inPlace])(
    'a column without a name is there, and so are two of one name%s',
    async (more) => {
      expect(await read(',a\nann,1\nbob,2\n', more)).toEqual([
        { column_1: 'ann', a: 1 },
        { column_1: 'bob', a: 2 },
      ]);
      expect(await read('a,"a",,c1\n1,2,3,x\n', more)).toEqual([
        { a: 1, a_2: 2, column_3: 3, c1: 'x' },
      ]);
      expect(await read('007,\n1,2\n', more)).toEqual([{ '007': 1, column_2: 2 }]);
      expect(await read('a,a\n', more)).toEqual([]);
      expect(await read('a,b\n1,2\n', more)).toEqual([{ a: 1, b: 2 }]);
    },
  );

  const schema = (...names: readonly string[]): string =>
    `,schema=${JSON.stringify({ columns: names.map((name) => ({ name, data_type: 'Int64', nullable: true })) })}`;

  it.each(['', inPlace])('columns that are declared are found by their names%s', async (more) => {
    expect(await read('a,b,\n1,2,\n3,4,\n', more + schema('b', 'a'))).toEqual([
      { a: 1, b: 2 },
      { a: 3, b: 4 },
    ]);
    expect(await read(',a,b\n0,1,2\n', more + schema('a', 'b'))).toEqual([{ a: 1, b: 2 }]);
    const other = join(folder, 's.csv');
    const ofFiles = `,schema_from_files=${JSON.stringify([other])}`;
    writeFileSync(other, ',b,a\n0,1,2\n');
    expect(await read(',a,b\n0,1,2\n', more + ofFiles)).toEqual([{ a: 1, b: 2 }]);
  });

  it('columns of a file that is written anew in another order keep their names', async () => {
    expect(await read(',a,b\n0,1,2\n', inPlace)).toEqual([{ column_1: 0, a: 1, b: 2 }]);
    writeFileSync(join(folder, 't.csv'), ',later,b,a\n0,33,2,1\n');
    const rows = async () => JSON.parse((await own.edge.sql('SELECT * FROM t')).text) as unknown;
    await until(async () => JSON.stringify(await rows()).includes('later'));
    expect(await rows()).toEqual([{ column_1: 0, later: 33, a: 1, b: 2 }]);
  });

  it.each([
    ['a,b\n1,"x\n2,y\n', 'in line 2 is never closed'],
    ['a,b\n1,x\n2,"y', 'in line 3 is never closed'],
    ['a\r1\r2\r', 'its lines end with CR alone'],
    ['a\r1\r"x\ny"\r', 'its lines end with CR alone'],
  ])('%j is refused: %s', async (text, reason) => {
    for (const more of ['', inPlace]) expect(await read(text, more)).toContain(reason);
    writeFileSync(join(folder, 'packed.csv.gz'), gzipSync(text));
    const made = await own.edge.post('/api/table', [{ tableName: 't', uri: 'packed.csv.gz' }]);
    expect([made.status, made.text]).toEqual([400, expect.stringContaining(reason)]);
  });

  it('a quote that is not closed any more fails the queries of a table in its place', async () => {
    expect(await read('a,b\n1,x\n', inPlace)).toEqual([{ a: 1, b: 'x' }]);
    writeFileSync(join(folder, 't.csv'), 'a,b\n1,"x\n2,y\n');
    const { status, text } = await own.edge.sql('SELECT * FROM t');
    expect([status, text]).toEqual([503, expect.stringContaining('is never closed')]);
  });

  it('bytes of a packed file are looked at in their order', async () => {
    // Large enough for the engine to read it by several threads, if it may; and with one quote in a value.
    const rows = Array.from({ length: 300_000 }, (_, n) => `${n},value ${n}\n`).join('');
    writeFileSync(join(folder, 'packed.csv.gz'), gzipSync(`a,b\n${rows}1,"x"" ""y"\n1,z"\n`));
    const made = await own.edge.post('/api/table', [{ tableName: 't', uri: 'packed.csv.gz' }]);
    expect([made.status, made.text]).toEqual([200, expect.anything()]);
    const { text } = await own.edge.sql('SELECT count() AS n, sum(a) AS a FROM t');
    expect(JSON.parse(text)).toEqual([{ n: 300_002, a: 44_999_850_002 }]);
  });

  it.each(['', ',materialize=false'])(
    'a column without a name is there in a folder of files that are named alike%s',
    async (more) => {
      const many = join(folder, 'many');
      rmSync(many, { recursive: true, force: true });
      mkdirSync(many);
      writeFileSync(join(many, '1.csv'), ',a,b\n0,1,x\n');
      writeFileSync(join(many, '2.csv'), ',a,b\n1,2.5,y\n');
      for (const uri of ['many', 'many/*.csv']) {
        const made = await own.edge.post('/api/table', [
          { tableName: 't', uri: `${uri},format=csv${more}` },
        ]);
        expect([made.status, made.text]).toEqual([200, expect.anything()]);
        const { text } = await own.edge.sql('SELECT * FROM t ORDER BY column_1');
        expect(JSON.parse(text)).toEqual([
          { column_1: 0, a: 1, b: 'x' },
          { column_1: 1, a: 2.5, b: 'y' },
        ]);
      }
      // By its places it would have its values in other columns.
      writeFileSync(join(many, '3.csv'), ',b,a\n2,z,3\n');
      const later = await own.edge.sql('SELECT * FROM t');
      expect([later.status, later.text]).toEqual([503, expect.stringContaining('other columns')]);
      const again = await own.edge.post('/api/table', [{ tableName: 't', uri: 'many,format=csv' }]);
      expect([again.status, again.text]).toEqual([
        400,
        expect.stringContaining('names its columns otherwise'),
      ]);
    },
  );
});
