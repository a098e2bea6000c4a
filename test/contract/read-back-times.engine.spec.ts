import fc from 'fast-check';
import { slowTime } from '../doubles/judge/slow-time.js';
import { slowJson } from '../doubles/judge/slow-json.js';
import { rounds, roundsMs } from '../rounds.js';
import { openReadBack, ReadBack, type OpenReadBack } from './read-back.js';

const RUNS = rounds(10, 1500);
const ACCEPTED_AT = 1_767_225_600_000_000n;

/** Whole numbers of every magnitude and sign, what clocks write, and what is right at a threshold. */
const power = (digits: number): bigint => 10n ** BigInt(digits);
const whole = fc
  .nat(19)
  .chain((digits) => fc.bigInt({ min: -power(digits), max: power(digits) }))
  .map(String);
const thresholds = [3, 6, 9].flatMap((each) =>
  [-1n, 0n, 1n].flatMap((beside) =>
    [1n, -1n].map((sign) => `${sign * (31_536_000n * power(each) + beside)}`),
  ),
);
const date = fc
  .oneof(
    fc.date({ min: new Date('1899-12-30'), max: new Date('2300-01-02'), noInvalidDate: true }),
    fc.date({ min: new Date('1968-12-30'), max: new Date('1971-01-02'), noInvalidDate: true }),
  )
  .map((at) => `"${at.toISOString()}"`);
const time = fc.oneof(
  whole,
  date,
  fc.constantFrom(...thresholds, '0', '-0', '0.0', '"0"', 'null', '1.5', '1e9', '"1970-01-01"', '18446744073709551615'), // prettier-ignore
);
const record = fc
  .tuple(fc.option(time), fc.option(time))
  .map(([own, other]) =>
    [own && `"_timestamp":${own}`, other && `"@timestamp":${other}`]
      .filter((member) => member !== null)
      .join(','),
  );

describe('times of records', () => {
  let opened: OpenReadBack;
  let tables = 0;
  beforeAll(async () => {
    opened = await openReadBack();
  });
  afterAll(() => opened.close());

  it(
    'are stored to the microsecond, whatever units and forms a chunk has side by side',
    async () => {
      const chunk = fc.array(record, { minLength: 1, maxLength: 40 });
      await fc.assert(
        fc.asyncProperty(chunk, async (members) => {
          const stream = await ReadBack.of(opened, `times${(tables += 1)}`);
          const lines = members.map((each, n) => `{"n":${n}${each && ','}${each}}`);
          const refused = new Set((await stream.store(lines)).map(({ line }) => line));
          const stored = await stream.times();
          const wanted = lines.flatMap((line, index) => (refused.has(index) ? [] : [timeOf(line)]));
          expect(stored).toEqual(wanted);
          await stream.drop();
        }),
        { numRuns: RUNS },
      );
    },
    roundsMs(RUNS, 1000),
  );
});

function timeOf(line: string): bigint | undefined {
  const value = slowJson(Buffer.from(line));
  const members = value?.is === 'object' ? value.members : [];
  const [own, other] = ['_timestamp', '@timestamp'].map(
    (name) => members.find(([each]) => each === name)?.[1],
  );
  const told = own ? slowTime(own) : null;
  const time = told === null && other ? slowTime(other) : told;
  return time === null ? ACCEPTED_AT : time;
}
