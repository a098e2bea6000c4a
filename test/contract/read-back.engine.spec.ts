import fc from 'fast-check';
import { crowdedRecords, jsonRecords } from '../fixtures/json-texts.js';
import { rounds, roundsMs } from '../rounds.js';
import { openReadBack, ReadBack, refusalsOf, type OpenReadBack } from './read-back.js';

const RUNS = rounds(5, 1500);

/** A record may be refused as a whole for these reasons, which belong to no single field. */
const OF_NO_FIELD = /^not a record: a (?:number beyond 64 bits|text with half of a surrogate pair)/;

/** The first record decides about columns. Without this one, most columns of several kinds would be text. */
const FIRST = '{"ms":[1,"x"],"os":[{"a":1}],"s":"x","i":1,"o":{"a":1},"p":{"a":1}}';
const NULLS =
  '{"ms":null,"o":null,"s":null,"i":null,"a.b":null,"a":null,"is":[],"":null,"\\"":null}';

describe('records that are accepted', () => {
  let opened: OpenReadBack;
  let tables = 0;
  beforeAll(async () => {
    opened = await openReadBack();
  });
  afterAll(() => opened.close());

  const check = async (sent: readonly (readonly string[])[]): Promise<void> => {
    const stream = await ReadBack.of(opened, `t${(tables += 1)}`);
    for (const lines of sent) {
      const refusals = await stream.store(lines);
      for (const { reason } of refusals)
        if (!OF_NO_FIELD.test(reason)) expect(reason).toMatch(/^field "/);
      expect(refusalsOf(await stream.accept(lines))).toEqual(refusals);
    }
    expect(await stream.changed()).toEqual([]);
    await stream.merge();
    expect(await stream.changed()).toEqual([]);
    await stream.drop();
  };

  it.each([
    ['of any values', jsonRecords],
    ['of nested values that share their places', crowdedRecords],
  ])(
    'are read back as they were sent, before and after parts merge: %s',
    async (_, record) => {
      const lines = fc.array(record, { minLength: 1, maxLength: 25 });
      const sent = fc.array(lines, { minLength: 1, maxLength: 4 });
      const first = fc.constantFrom([], [[FIRST]], [[NULLS]]);
      const chunks = fc.tuple(first, sent).map(([begin, rest]) => [...begin, ...rest]);
      await fc.assert(fc.asyncProperty(chunks, check), { numRuns: RUNS });
    },
    roundsMs(RUNS, 1000),
  );

  it.each<[string, string[][]]>([
    ['nulls, then integers', [['{"a":null}', '{}'], ['{"a":null}'], ['{"a":1}', '{"a":null}']]],
    ['nulls, then lists', [['{"a":null,"b":null}'], ['{"a":[1],"b":[{"x":1}]}', '{"a":null}']]],
    ['nulls, then objects, beside a name with a dot', [['{"a":null,"b.x":1,"b":null}'], ['{"a":{"b":1}}', '{"b":"x"}', '{"b.x":2}']]], // prettier-ignore
    ['nulls where a list needs the place', [['{"l":null}'], ['{"l.a":[1]}', '{"l":null}'], ['{"l.a":[2]}']]], // prettier-ignore
    ['several kinds', [['{"a":1}', '{"a":1.50}', '{"a":"x"}', '{"a":true}', '{"a":-0}', '{"a":"1"}'], ['{"a":false}', '{"a":9007199254740993}', '{"a":null}', '{}']]], // prettier-ignore
    ['arrays that no column keeps', [['{"a":[1,{}]}', '{"b":["done",{}]}', '{"c":[{"":1},"x"]}', '{"a":[1]}', '{"a":null}'], ['{"a":[],"b":["\\"\\u00e9\\\\é"],"c":[null]}', '{"a":[[{"x.y":1}]]}']]], // prettier-ignore
    ['objects that no array keeps', [['{"a":[{"x%2Ey":1}]}', '{"a":[{}]}', '{"a":[{"x":null}]}']]],
  ])('are all kept: %s', async (_, chunks) => {
    const stream = await ReadBack.of(opened, `t${(tables += 1)}`);
    for (const lines of chunks) expect(await stream.store(lines)).toEqual([]);
    expect(await stream.changed()).toEqual([]);
    await stream.merge();
    expect(await stream.changed()).toEqual([]);
    await stream.drop();
  });

  it('are read back with more places within objects than the engine keeps apart', async () => {
    const values = ['1', '1.5', '"x"', 'true', '[9007199254740993]', '["x",null]', '[{"a":[1]},{"b":"x"}]', '{"a":{"b":1}}', '18446744073709551615', '[]', '["x",1]']; // prettier-ignore
    const names = Array.from({ length: 1600 }, (_, n) => `"k${n}":${values[n % values.length]}`);
    const records = Array.from({ length: 40 }, (_, n) => names.slice(n * 40, (n + 1) * 40));
    const lines = records.map((members) => `{"o":{${members.join(',')}}}`);
    await check([lines.slice(0, 20), lines.slice(20), lines.slice(10, 30)]);
  });
});
