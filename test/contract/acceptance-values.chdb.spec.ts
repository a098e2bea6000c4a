import { openAcceptance, type Acceptance } from './open-acceptance.js';
import { PureKeeper } from './pure-keeper.js';

describe('values that columns of each type take, with the real engine', () => {
  let under: Acceptance;
  beforeAll(async () => {
    under = await openAcceptance();
  });
  afterAll(() => under.close());
  const accept: Acceptance['accept'] = (keeper, lines) => under.accept(keeper, lines);
  const rows: Acceptance['rows'] = (columnar, expression) => under.rows(columnar, expression);

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
      'Nullable(JSON)',
      '{"x":1}',
      [
        '{}',
        '{"y":{"z":[1,"a"]}}',
        '{"id":9007199254740993,"of":[1.5]}',
        '{"of":[{"id":9007199254740993,"part":1.0}],"in":[1.0,2]}',
        '{"of":[{"ids":[9007199254740993,-1],"parts":[1.5]}],"rows":[[1,"a",null],[2,"b",null]]}',
        'null',
      ],
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
    ['Array(Dynamic)', '[1,"x"]', '["x",[9007199254740993,1.0]]'],
    ['Array(Dynamic)', '[1,"x"]', '["x",[[9007199254740993],[1.5]]]'],
    ['Array(Dynamic)', '[1,"x"]', '["x",[[18446744073709551615,1],[-1]]]'],
    ['Array(Dynamic)', '[1,"x"]', '["x",[[[1]],[null]]]'],
    ['Array(Dynamic)', '[1,"x"]', '["x",{"null":1}]'],
    ['Nullable(JSON)', '{"x":1}', '{"a":[[1],null]}'],
    ['Nullable(JSON)', '{"x":1}', '{"a":["x",{"b":[{"c":1},null]}]}'],
    ['Nullable(JSON)', '{"x":1}', '{"a":[9007199254740993,1.5]}'],
    ['Nullable(JSON)', '{"x":1}', '{"a":[9007199254740993,1e0]}'],
    ['Nullable(JSON)', '{"x":1}', '{"a":[[18446744073709551615,1],[-1]]}'],
    ['Nullable(JSON)', '{"x":1}', '{"a":[[[1]],[null]]}'],
    ['Nullable(JSON)', '{"x":1}', '{"a%2Eb":1}'],
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
});
