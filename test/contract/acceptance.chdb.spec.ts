import fc from 'fast-check';
import { acceptRecords } from '../../libs/acceptance/records/accept-records.js';
import type { AcceptedChunk } from '../../libs/acceptance/records/chunk.js';
import type { Judge } from '../../libs/acceptance/turns/fair-judge.js';
import { JUDGE } from './batch-rows.js';
import { openAcceptance, type Acceptance } from './open-acceptance.js';
import { PureKeeper } from './pure-keeper.js';
import { rounds } from '../rounds.js';

interface Outcome {
  readonly stored: readonly string[];
  readonly rejected: readonly string[];
}

describe('acceptance, with the real engine', () => {
  let under: Acceptance;
  beforeAll(async () => {
    under = await openAcceptance();
  });
  afterAll(() => under.close());
  const accept: Acceptance['accept'] = (keeper, lines) => under.accept(keeper, lines);
  const rows: Acceptance['rows'] = (columnar, expression) => under.rows(columnar, expression);

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
      { numRuns: rounds(6, 100) },
    );
  }, 120_000);

  it.each(['[1,{}]', '["done",{}]', '[{"":1},"x"]'])(
    'rejects %s alone where a column of arrays would not keep it, and makes no such column of it',
    async (value) => {
      const good = Array.from({ length: 20 }, (_, n) => `{"n":${n},"v":[${n},"x"]}`);
      const bad = `{"n":-1,"v":${value}}`;
      const sent = [...good.slice(0, 7), bad, ...good.slice(7), bad];
      const [keeper, fresh] = [new PureKeeper(), new PureKeeper()];
      await accept(keeper, good);
      const { accepted, rejected } = await accept(keeper, sent);
      expect([accepted?.rows, rejected?.rows]).toEqual([20, 2]);
      expect(await rows(accepted, 'toString(n)')).toEqual(good.map((_, n) => `${n}`).sort());
      expect(await rows(rejected, 'toString(line)')).toEqual(['22', '8']);
      expect((await accept(keeper, [bad])).rejected?.rows).toBe(1);
      const first = await accept(fresh, sent);
      expect(first.rejected).toBeUndefined();
      expect((await rows(first.accepted, 'v')).filter((each) => each === value)).toHaveLength(2);
      expect((await accept(fresh, [bad, ...good])).rejected).toBeUndefined();
    },
  );

  it('judges a chunk once where a field is null, whether it is known or not', async () => {
    let judged = 0;
    const judge: Judge = { judge: (job) => ((judged += 1), JUDGE.judge(job)) };
    const keeper = new PureKeeper();
    await accept(keeper, ['{"a":1}']);
    const content = Buffer.from('{"a":1,"x":null,"y":[]}\n{"a":null,"x":null}\n');
    const chunk = { file: '', firstLine: 1, bytes: content.length, content };
    const options = { uploadId: 'u', stream: 'n', acceptedAt: 1 };
    for (let round = 1; round < 4; round += 1) {
      const { accepted, rejected } = await acceptRecords(judge, keeper, chunk, options);
      expect([judged, accepted?.rows, rejected]).toEqual([round, 2, undefined]);
      expect(accepted?.columns).toEqual(['_timestamp', 'a']);
      expect([keeper.state.untyped, keeper.state.version]).toEqual([['x', 'y'], 2]);
    }
  });

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
        numRuns: rounds(3, 40),
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
