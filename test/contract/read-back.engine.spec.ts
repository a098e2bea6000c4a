import fc from 'fast-check';
import { crowdedRecords, jsonRecords } from '../fixtures/json-texts.js';
import { rounds, roundsMs } from '../rounds.js';
import { openReadBack, ReadBack, refusalsOf, type OpenReadBack } from './read-back.js';

const RUNS = rounds(12, 1500);

/** Why a record may be refused as a whole: for what it is, which is no one field's fault. */
const OF_NO_FIELD = /^not a record: a (?:number beyond 64 bits|text with half of a surrogate pair)/;

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
      const chunks = fc.array(lines, { minLength: 1, maxLength: 4 });
      await fc.assert(fc.asyncProperty(chunks, check), { numRuns: RUNS });
    },
    roundsMs(RUNS, 1000),
  );

  it('are read back with more places within objects than the engine keeps apart', async () => {
    const values = ['1', '1.5', '"x"', 'true', '[9007199254740993]', '["x",null]', '[{"a":[1]},{"b":"x"}]', '{"a":{"b":1}}', '18446744073709551615', '[]', '["x",1]']; // prettier-ignore
    const names = Array.from({ length: 1600 }, (_, n) => `"k${n}":${values[n % values.length]}`);
    const records = Array.from({ length: 40 }, (_, n) => names.slice(n * 40, (n + 1) * 40));
    const lines = records.map((members) => `{"o":{${members.join(',')}}}`);
    await check([lines.slice(0, 20), lines.slice(20), lines.slice(10, 30)]);
  });
});
