import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { edgeInFolder } from '../../server/edge-in-folder.js';

/** Values of one column, as they are written, and what they are in answers. */
const READ: Readonly<Record<string, readonly [readonly string[], readonly unknown[]]>> = {
  'a long integer beside a fraction': [
    ['9007199254740993', '1.5'],
    ['9007199254740993', '1.5'],
  ],
  'a number with an exponent beside a long integer': [
    ['1e3', '9007199254740993'],
    ['1e3', '9007199254740993'],
  ],
  'a truth beside numbers': [
    ['1', 'true', 'null'],
    ['1', 'true', null],
  ],
  'a number too large for a float': [
    ['1e400', '1'],
    ['1e400', '1'],
  ],
  'a number too small for a float': [
    ['1e-400', '1'],
    ['1e-400', '1'],
  ],
  'truths within a list': [
    ['[1, true]', '[2]'],
    [['1', 'true'], ['2']],
  ],
  'long integers within a list': [
    ['[9007199254740993, 1.5]', '[]'],
    [['9007199254740993', '1.5'], []],
  ],
  'values within objects': [
    ['{"a": 9007199254740993, "b": 1}', '{"a": 1.5, "b": 2}', 'null'],
    [{ a: '9007199254740993', b: 1 }, { a: '1.5', b: 2 }, null],
  ],
  'a number in quotes beside another within a list of objects': [
    ['[{"n": 3, "m": 1}, {"n": "3", "m": 2}]', '[{"n": 4, "m": 3}]'],
    [
      [
        { n: '3', m: 1 },
        { n: '3', m: 2 },
      ],
      [{ n: '4', m: 3 }],
    ],
  ],
  'a truth in quotes deep within lists of objects': [
    ['{"a": [{"b": [{"c": true, "n": "5"}, {"c": "true", "n": "x"}]}]}'],
    [
      {
        a: [
          {
            b: [
              { c: 'true', n: '5' },
              { c: 'true', n: 'x' },
            ],
          },
        ],
      },
    ],
  ],
  'objects within lists': [
    ['[{"a": 1, "b": 1e400}]', '[{"a": true, "b": 0}, null]'],
    [[{ a: '1', b: '1e400' }], [{ a: 'true', b: '0' }, null]],
  ],
  'a text like a number within a list of objects': [
    ['[{"a": 1}, {"a": "007"}]'],
    [[{ a: '1' }, { a: '007' }]],
  ],
  'lists of several kinds': [
    ['["x", [1, true]]', '["y"]'],
    [['x', '[1, true]'], ['y']],
  ],
  'integers beside an object with fractions': [
    ['{"id": 9007199254740993, "price": 1.5}'],
    [{ id: 9007199254740993n, price: 1.5 }],
  ],
  'numbers that a float holds': [
    ['9007199254740992', '0.1'],
    [9007199254740992, 0.1],
  ],
  'long integers alone': [
    ['9007199254740993', '-1'],
    [9007199254740993n, -1],
  ],
};

/** Types that are declared, and values that they do not hold. */
const BEYOND: readonly (readonly [type: string, json: string, value: string])[] = [
  ['"Int8"', '300', '300'],
  ['"UInt8"', '-1', '-1'],
  ['"Int64"', '9223372036854775808', '9223372036854775808'],
  ['"Int64"', '99999999999999999999', '99999999999999999999'],
  ['"Int64"', 'true', 'true'],
  ['"Float64"', '9007199254740993', '9007199254740993'],
  ['"Float64"', '1e400', '1e400'],
  ['"Date32"', '"2020-02-30"', '2020-02-30'],
  ['"Date32"', '"1850-01-01"', '1850-01-01'],
  ['{"Decimal128":[6,2]}', '1.239', '1.239'],
  ['{"Timestamp":["Second",null]}', '"2020-01-01 10:00:00.5"', '2020-01-01 10:00:00.5'],
];

describe('JSON is what is written there', () => {
  const own = edgeInFolder('edge-json-');
  const { folder } = own;

  const write = (values: readonly string[]): void => {
    const lines = values.map((v, n) => `{"n": ${n}, "v": ${v}}\n`);
    writeFileSync(join(folder, 't.ndjson'), lines.join(''));
  };
  const register = (more: string, file = 't.ndjson') =>
    own.edge.post('/api/table', [{ tableName: 't', uri: `${file}${more}` }]);
  const values = async (): Promise<unknown> => {
    const { text } = await own.edge.sql('SELECT v FROM t ORDER BY n');
    // Long integers keep their digits in the answer.
    return JSON.parse(text.replaceAll(/(?<=[:[])(\d{16,})/g, '"$1n"'));
  };

  it.each(Object.entries(READ))('%s', async (_, [written, read]) => {
    write(written);
    const wanted = JSON.parse(
      JSON.stringify(read.map((v) => ({ v })), (__, each: unknown) => typeof each === 'bigint' || each === 9007199254740992 ? `${String(each)}n` : each), // prettier-ignore
    ) as unknown;
    for (const more of ['', ',materialize=false']) {
      expect([(await register(more)).status, await values()]).toEqual([200, wanted]);
    }
  });

  it.each(BEYOND)('%s does not hold %s, and says so', async (type, json, value) => {
    write([json]);
    const schema = `,schema={"columns":[{"name":"v","data_type":${type},"nullable":true}]}`;
    const { status, text } = await register(schema);
    const said = JSON.stringify(`column "v" has ${JSON.stringify(value)} that its type`);
    expect([status, text]).toEqual([400, expect.stringContaining(said.slice(1, -1))]);
  });

  it.each([
    ['JSON', 'Microsecond', '1700000000123456', '2023-11-14T22:13:20.123456'],
    ['JSON', 'Nanosecond', '1700000000123456789', '2023-11-14T22:13:20.123456789'],
    ['JSON', 'Millisecond', '-1700000000123', '1916-02-18T01:46:39.877'],
    ['JSON', 'Second', '99999999999', undefined],
    ['CSV', 'Nanosecond', '1700000000.5', '2023-11-14T22:13:20.500000000'],
    ['CSV', 'Nanosecond', '99999999999', undefined],
    ['CSV', 'Second', '99999999999', undefined],
    ['CSV', 'Microsecond', '1900000000.5', '2030-03-17T17:46:40.500000'],
    ['CSV', 'Millisecond', '1700000000.123', '2023-11-14T22:13:20.123'],
    ['CSV', 'Second', '1700000000.5', undefined],
    ['CSV', 'Microsecond', '1700000000.1234567', undefined],
  ])('a number of %s is a time in %ss: %s', async (kind, unit, number, time) => {
    write([number]);
    writeFileSync(join(folder, 't.csv'), `v\n${number}\n`);
    for (const [zone, end] of [
      ['null', ''],
      ['"UTC"', 'Z'],
    ]) {
      const schema = `,schema={"columns":[{"name":"v","data_type":{"Timestamp":["${unit}",${zone}]},"nullable":true}]}`;
      const { status } = await register(schema, kind === 'CSV' ? 't.csv' : 't.ndjson');
      const answer = status === 200 ? (await own.edge.sql('SELECT v FROM t')).text : status;
      expect(answer).toEqual(time === undefined ? 400 : expect.stringContaining(`"${time}${end}"`));
    }
  });

  it('a field without a name is refused, unless columns are declared', async () => {
    writeFileSync(join(folder, 't.ndjson'), '{"n": 0, "v": 1}\n{"n": 1, "": 2, "v": 3}\n');
    const { status, text } = await register('');
    expect([status, text]).toEqual([400, expect.stringContaining('a field without a name')]);
    const column = (name: string): string => `{"name":"${name}","data_type":"Int64","nullable":true}`; // prettier-ignore
    const schema = `,schema={"columns":[${column('n')},${column('v')}]}`;
    expect([(await register(schema)).status, await values()]).toEqual([200, [{ v: 1 }, { v: 3 }]]);
  });

  it.each([
    ['99999999999999999999', '"v":"99999999999999999999"'],
    ['18446744073709551615', '"v":18446744073709551615'],
    ['1.5', '"v":1.5'],
    ['true', '"v":"true"'],
    ['1, "late": 5', '"late":5'],
    ['"5"', '"v":"5"'],
    ['"true"', '"v":"true"'],
  ])('%s behind the bytes that are looked at for types is what it is', async (last, wanted) => {
    const line = `{"n": 1, "v": 1, "more": "${'x'.repeat(10_000)}"}\n`;
    const file = join(folder, 't.ndjson');
    writeFileSync(file, line.repeat(3_500));
    writeFileSync(file, `{"n": 2, "v": ${last}}\n`, { flag: 'a' });
    expect((await register(',materialize=false')).status).toBe(200);
    expect((await own.edge.sql('SELECT * FROM t WHERE n = 2')).text).toContain(wanted);
  });

  it.each([
    ['1', '"5"', '5'],
    ['1', '\n  "5"', '5'],
    ['1.5', '"0.5"', '0.5'],
    ['true', '"true"', 'true'],
    ['[1, 2]', '["5"]', ['5']],
    ['[1, 2]', '[\n"5"]', ['5']],
    ['[[1], [2]]', '[[1], ["5"]]', [['1'], ['5']]],
    ['{"k.": 1}', '{"k." : "5"}', { 'k.': '5' }],
    ['[{"k": [true]}]', '[{"k": ["true"]}]', [{ k: ['true'] }]],
    ['{"a`b": 1}', '{"a`b":"5"}', { 'a`b': '5' }],
    ['{"a\\"b": 1}', '{"a\\"b":"5"}', { 'a"b': '5' }],
  ])('beside many of %s the text %j stays a text', async (many, last, wanted) => {
    const values = Array<string>(20_000).fill(`${many}, "more": "some more text"`);
    write([...values, last]);
    for (const more of ['', ',materialize=false']) {
      expect((await register(more)).status).toBe(200);
      const { text } = await own.edge.sql('SELECT v FROM t WHERE n = 20000');
      expect(JSON.parse(text)).toEqual([{ v: wanted }]);
    }
  });

  it('a text behind a key that is written with escapes stays a text', async () => {
    write([
      ...Array<string>(20_000).fill('1, "more": "some more text"'),
      '1}\n{"n": -1, "\\u0076":"5"',
    ]);
    expect((await register('')).status).toBe(200);
    const { text } = await own.edge.sql('SELECT v FROM t WHERE n = -1');
    expect(JSON.parse(text)).toEqual([{ v: '5' }]);
  });

  it('texts that look like numbers leave no doubt about other columns', async () => {
    write(Array<string>(20_000).fill('1, "more": "5", "o": {"q": "true", "l": ["1", ["x"]]}'));
    expect((await register('')).status).toBe(200);
    const { text } = await own.edge.sql('SELECT v, more FROM t LIMIT 1');
    expect(JSON.parse(text)).toEqual([{ v: 1, more: '5' }]);
  });
});
