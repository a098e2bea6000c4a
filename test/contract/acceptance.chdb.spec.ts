import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { openWarehouse, type LocalEngine, type Warehouse } from '@app/warehouse';
import { acceptRecords, type SchemaKeeper } from '../../libs/ingest/accept/accept-records.js';
import type { AcceptedChunk, ColumnarFile } from '../../libs/ingest/accept/chunk.js';
import { JUDGE, READING, rowsOf } from './batch-rows.js';
import { PureKeeper } from './pure-keeper.js';
import { LIMITS } from './limits.js';
import { rounds } from '../rounds.js';

const ACCEPTED_AT = 1_767_225_600_000_000;
interface Outcome {
  readonly stored: readonly string[];
  readonly rejected: readonly string[];
}

describe('acceptance, with the real engine', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-accept-'));
  let engine: LocalEngine;
  let warehouse: Warehouse;
  let files = 0;

  beforeAll(async () => {
    ({ localEngine: engine, warehouse } = await openWarehouse({
      clickHouse: undefined,
      directory,
      limits: LIMITS,
      readers: 1,
      acceptors: 2,
    }));
  });
  afterAll(async () => {
    await warehouse.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const accept = (keeper: SchemaKeeper, lines: readonly string[]): Promise<AcceptedChunk> => {
    files += 1;
    const file = join(directory, `${files}.ndjson`);
    const text = lines.join('\n');
    writeFileSync(file, text);
    const chunk = { file, firstLine: 1, bytes: Buffer.byteLength(text) };
    return acceptRecords(JUDGE, keeper, chunk, {
      uploadId: 'u',
      stream: 'n',
      acceptedAt: ACCEPTED_AT,
    });
  };

  const rows = async (columnar: ColumnarFile | undefined, select: string): Promise<string[]> => {
    if (!columnar) return [];
    const answer = await engine.run(
      `SELECT toJSONString(groupArray(row)) FROM (SELECT ${select} AS row FROM ${rowsOf(columnar)}) ${READING}`,
    );
    const found = JSON.parse(answer) as string[];
    expect(found).toHaveLength(columnar.rows);
    return found.sort();
  };

  const outcome = async (
    { accepted, rejected }: AcceptedChunk,
    columns: readonly string[],
  ): Promise<Outcome> => ({
    stored: await rows(
      accepted,
      `concat(${['toString(_timestamp)', ...columns.map((name) => `'|', ifNull(toJSONString(\`${name}\`), 'null')`)].join(', ')})`,
    ),
    rejected: await rows(rejected, 'record'),
  });

  const usual = {
    i: fc.integer().map(String),
    f: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
    s: fc.string().map((value) => JSON.stringify(value)),
    b: fc.boolean().map(String),
    l: fc.array(fc.integer({ min: -99, max: 99 })).map((value) => JSON.stringify(value)),
    o: fc.constantFrom('{"x":1}', '{"x":{"y":"z"}}', '{}'),
    _timestamp: fc.integer({ min: 0, max: 4_000_000_000 }).map(String),
  };
  const odd = fc.constantFrom(
    'null',
    'true',
    '""',
    '"5"',
    '5',
    '1.0',
    '1.5',
    '1e3',
    '-0',
    '9007199254740993',
    '9223372036854775808',
    '18446744073709551615',
    '18446744073709551616',
    '1e400',
    '[]',
    '[null]',
    '["1"]',
    '[1.5]',
    '[9007199254740993]',
    '[true]',
    '[[1]]',
    '{"x":1,"x":2}',
    '{"a.b":1}',
    '"\\u0000"',
    '"\\ud800"',
    '01',
    'nope',
    '"2026-01-01T00:00:00Z"',
    '"yesterday"',
    '99999999999999999999',
  );
  const field = fc.constantFrom(...(Object.keys(usual) as (keyof typeof usual)[]));
  const record = fc
    .tuple(
      fc.record(usual, { requiredKeys: [] }),
      fc.option(
        fc.tuple(fc.oneof(field, fc.constantFrom('new', '', '_row', 'i\\u0069', '\\u0069')), odd),
        { freq: 5 },
      ),
      fc.boolean(),
    )
    .map(([fields, extra, spaced]) => {
      const members = Object.entries(fields).map(
        ([name, value]) => `"${name}":${spaced ? ' ' : ''}${value}`,
      );
      if (extra) members.push(`"${extra[0]}" : ${extra[1]}`);
      return `{${members.join(spaced ? ' , ' : ',')}}`;
    });
  const FIRST = '{"i":1,"f":0.5,"s":"x","b":true,"l":[1],"o":{"x":1},"_timestamp":1}';
  const COLUMNS = ['i', 'f', 's', 'b', 'l', 'o'];

  it('stores and rejects the same whether a chunk is judged or not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 6 }), async (lines) => {
        const [plain, judged] = [new PureKeeper(), new PureKeeper()];
        await accept(plain, [FIRST]);
        await accept(judged, [FIRST]);
        const first = await outcome(await accept(plain, lines), COLUMNS);
        // A line that is no JSON makes the engine judge all the others.
        const second = await outcome(await accept(judged, [...lines, '#']), COLUMNS);
        expect(second).toEqual({ stored: first.stored, rejected: [...first.rejected, '#'].sort() });
        expect(judged.state.columns).toEqual(plain.state.columns);
        expect(first.stored.length + first.rejected.length).toBe(lines.length);
      }),
      { numRuns: rounds(15, 40) },
    );
  }, 120_000);

  it.each([
    [
      'Nullable(Int64)',
      '1',
      ['5', '-5', '1.0', '9223372036854775807', 'null'],
      ['"5"', '""', 'true', '9223372036854775808', '1e400', '{}', '[1]', '"x"'],
    ],
    [
      'Nullable(Float64)',
      '0.5',
      ['5', '-1.5', '1e300', '9007199254740992', '1.2345678901234567e17', '1e19', '-1e20', 'null'],
      ['"5"', '""', 'true', '9007199254740993', '1e400', '[0.5]'],
    ],
    [
      'Array(Nullable(Float64))',
      '[0.5]',
      ['[]', '[1,null]', '[1.2345678901234567e17]', '[1e19]', '[1e19,0.5,null]', '[-1e20]'],
      ['[9007199254740993]', '[0.5, 9007199254740993 ]', '["1"]', '[true]', '[[1]]', '1'],
    ],
    ['Nullable(Bool)', 'true', ['false', 'null'], ['1', '0', '"true"', '""', 'nope']],
    [
      'Nullable(String)',
      '"x"',
      ['""', '"5"', '"\\u0000é"', 'null'],
      ['5', 'true', '{}', '["x"]', '"\\ud800"'],
    ],
    [
      'Array(Nullable(Int64))',
      '[1]',
      ['[]', '[null,2]', 'null'],
      ['["1"]', '[true]', '1', '[9223372036854775808]', '[[1]]', '"x"'],
    ],
    ['Array(Nullable(String))', '["x"]', ['[]', '["5",null]'], ['[5]', '[true]', '"x"']],
    [
      'JSON',
      '{"x":1}',
      ['{}', '{"y":{"z":[1,"a"]}}', 'null'],
      ['1', '"x"', '[{}]', '{"x":1,"x":2}'],
    ],
    ['Array(Dynamic)', '[1,"x"]', ['[]', '[1]', '["a",{"b":1},[2]]'], ['1', '"x"', '{}']],
  ])(
    'a column of type %s takes what fits and nothing else',
    async (type, first, good, bad) => {
      for (const value of [...good, ...bad]) {
        const keeper = new PureKeeper();
        await accept(keeper, [`{"v":${first}}`]);
        expect(keeper.state.columns).toEqual([{ name: 'v', type }]);
        const { accepted, rejected } = await accept(keeper, [`{"v":${value}}`]);
        expect([value, accepted?.rows ?? 0, rejected?.rows ?? 0]).toEqual([
          value,
          ...(good.includes(value) ? [1, 0] : [0, 1]),
        ]);
        // An integer column may widen, but only for a fraction.
        expect(keeper.state.columns).toEqual([{ name: 'v', type }]);
      }
    },
    120_000,
  );

  it.each<[string, string, string, 0 | 1]>([
    ['f', '0.5', '1.2345678901234567e17', 1],
    ['f', '0.5', '9007199254740993.0', 1],
    ['f', '0.5', '1e19', 1],
    ['f', '0.5', '-1e20', 1],
    ['f', '0.5', '9007199254740993', 0],
    ['f', '0.5', ' 9223372036854775808 ', 0],
    ['f', '0.5', '123456789012345678,"f2":1e17', 0],
    ['f', '0.5', '1e17,"n":{"f":1}', 1],
    ['f:', '0.5', '9007199254740993', 0],
    ['\\u0066', '0.5', '9007199254740993', 0],
    ['l', '[0.5]', '[1e17,0.5]', 1],
    ['l', '[0.5]', '[1e19,0.5,null]', 1],
    ['l', '[0.5]', '[1e17, 9007199254740993]', 0],
  ])(
    'answers a float %s, first %s, then %s, the same alone as beside a bad record',
    async (name, first, value, taken) => {
      const outcomes = [];
      for (const others of [[], ['#']]) {
        const keeper = new PureKeeper();
        await accept(keeper, [`{"${name}":${first}}`]);
        const column = keeper.state.columns[0]?.name ?? '';
        const { accepted, rejected } = await accept(keeper, [`{"${name}":${value}}`, ...others]);
        expect([accepted?.rows ?? 0, (rejected?.rows ?? 0) - others.length]).toEqual([
          taken,
          1 - taken,
        ]);
        outcomes.push(await rows(accepted, `toJSONString(\`${column}\`)`));
      }
      expect(outcomes[1]).toEqual(outcomes[0]);
    },
  );

  it.each([
    ['2.5e19', 'Nullable(Float64)', '25000000000000000000'],
    ['-1e20', 'Nullable(Float64)', '-100000000000000000000'],
    ['1e19', 'Nullable(UInt64)', '10000000000000000000'],
    ['[2.5e19,1,null]', 'Array(Nullable(Float64))', '[25000000000000000000,1,null]'],
  ])('makes of %s, which comes first, a column that has it', async (value, type, stored) => {
    const keeper = new PureKeeper();
    const { accepted, rejected } = await accept(keeper, [`{"v":${value}}`]);
    expect(keeper.state.columns).toEqual([{ name: 'v', type }]);
    expect([rejected?.rows ?? 0, await rows(accepted, 'toJSONString(v)')]).toEqual([0, [stored]]);
  });

  it.each([
    ['["x",2.5e19]', '["x",25000000000000000000]'],
    ['[{"x":2.5e19},1]', '[{"x":25000000000000000000},1]'],
    ['[[-2.5e19]]', '[[-25000000000000000000]]'],
    ['["x",18446744073709551615,2e19]', '["x",18446744073709551615,20000000000000000000]'],
  ])('keeps %s, with a number that no integer has', async (value, stored) => {
    for (const earlier of [[], ['{"v":[1,"x"],"n":1}']]) {
      const keeper = new PureKeeper();
      if (earlier.length > 0) await accept(keeper, earlier);
      const { accepted, rejected } = await accept(keeper, [`{"v":${value},"n":2}`]);
      expect([rejected?.rows ?? 0, await rows(accepted, 'toJSONString(v)')]).toEqual([0, [stored]]);
    }
  });

  it.each([
    ['Array(Dynamic)', '[1,"x"]', '[{"a.b":1,"a":{"b":2}},1]'],
    ['Array(Dynamic)', '[1,"x"]', '["x",[{"b":1},{"c":1}]]'],
    ['Array(Dynamic)', '[1,"x"]', '["x",{"\\u0061":4}]'],
    ['Array(Dynamic)', '[1,"x"]', '["x",[[1],null]]'],
    ['Array(Dynamic)', '[1,"x"]', '["x",[9007199254740993,1.5]]'],
    ['Array(Dynamic)', '[1,"x"]', '["x",{"null":1}]'],
    ['JSON', '{"x":1}', '{"a":[[1],null]}'],
    ['JSON', '{"x":1}', '{"a":["x",{"b":[{"c":1},null]}]}'],
    ['JSON', '{"x":1}', '{"a":[9007199254740993,1.5]}'],
    ['JSON', '{"x":1}', '{"a%2Eb":1}'],
    ['Array(JSON)', '[{"x":1}]', '[{"a":[[1],null]}]'],
    ['Nullable(Float64)', '1.5', '1e-400'],
  ])(
    'a column of type %s, first %s, does not take %s, which it would change',
    async (type, first, value) => {
      const keeper = new PureKeeper();
      await accept(keeper, [`{"v":${first}}`]);
      expect(keeper.state.columns).toEqual([{ name: 'v', type }]);
      const { accepted, rejected } = await accept(keeper, [`{"v":${value}}`, '{"n":3}']);
      expect([accepted?.rows, rejected?.rows]).toEqual([1, 1]);
    },
  );

  it.each(['[1,{}]', '["done",{}]', '[{"":1},"x"]'])(
    'rejects %s alone, which the engine would not keep, first or later',
    async (value) => {
      const good = Array.from({ length: 20 }, (_, n) => `{"n":${n},"v":[${n},"x"]}`);
      const bad = `{"n":-1,"v":${value}}`;
      for (const earlier of [[], good]) {
        const keeper = new PureKeeper();
        if (earlier.length > 0) await accept(keeper, earlier);
        const sent = [...good.slice(0, 7), bad, ...good.slice(7), bad];
        const { accepted, rejected } = await accept(keeper, sent);
        expect([accepted?.rows, rejected?.rows]).toEqual([20, 2]);
        expect(await rows(accepted, 'toString(n)')).toEqual(good.map((_, n) => `${n}`).sort());
        expect(await rows(rejected, 'toString(line)')).toEqual(['22', '8']);
        expect((await accept(keeper, [bad])).rejected?.rows).toBe(1);
      }
    },
  );

  it('keeps fields apart whose names differ in case only', async () => {
    const name = fc.constantFrom('userId', 'userid', 'USERID', '_Timestamp', '_TIMESTAMP');
    const fields = fc.dictionary(name, fc.integer(), { minKeys: 1 });
    const chunks = fc.array(fc.array(fields, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }); // prettier-ignore
    const value = (column: string) => `'|', ifNull(toString(\`${column}\`), '')`;
    await fc.assert(
      fc.asyncProperty(chunks, async (sent) => {
        const keeper = new PureKeeper();
        for (const records of sent) {
          const { accepted } = await accept(
            keeper,
            records.map((record) => JSON.stringify(record)),
          );
          const names = keeper.state.columns.map((column) => column.name);
          expect(await rows(accepted, `concat('', ${names.map(value).join(', ')})`)).toEqual(
            records
              .map((record) => names.map((column) => `|${record[column] ?? ''}`).join(''))
              .sort(),
          );
        }
        const all = new Set(sent.flat().flatMap((record) => Object.keys(record)));
        expect(new Set(keeper.state.columns.map((column) => column.name))).toEqual(all);
      }),
      {
        numRuns: rounds(5, 12),
        examples: [[[[{ userId: 1 }], [{ userid: 2 }], [{ _Timestamp: 3 }]]]],
      },
    );
  }, 120_000);

  it('stores arrays of every kind in one record as they came', async () => {
    const line =
      '{"l":[1,2],"m":[1,"x"],"n":[0.5,1],"p":[true],"q":[{"a":1}],"r":[[1],["x"]],"u":[18446744073709551615,1]}';
    const { accepted } = await accept(new PureKeeper(), [line]);
    const names = ['l', 'm', 'n', 'p', 'q', 'r', 'u'];
    const [row] = await rows(
      accepted,
      `concat('{', arrayStringConcat([${names.map((name) => `concat('"${name}":', toJSONString(${name}))`).join(', ')}], ','), '}')`,
    );
    expect(row).toBe(line);
  });
});
