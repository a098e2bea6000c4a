import fc from 'fast-check';
import { rounds, roundsMs } from '../rounds.js';
import { openReadBack, ReadBack, type OpenReadBack } from './read-back.js';

const RUNS = rounds(6, 1500);

/** JSON, with numbers as they are written. */
type Text = string;
type Tree = { readonly [key: string]: Tree } | Text;

const number: fc.Arbitrary<Text> = fc.oneof(
  fc.integer({ min: -5, max: 5 }).map(String),
  fc.constantFrom('1.0', '-0', '1e3', '2.50', '0.1', '1e-7', '12.25', '123456789.5'),
  fc.constantFrom('9007199254740993', '9223372036854775807', '-9223372036854775808'),
  fc.constantFrom('9223372036854775808', '18446744073709551615', '1e19', '1e300'),
);
const single: fc.Arbitrary<Text> = fc.oneof(
  { weight: 4, arbitrary: number },
  fc.constantFrom('true', 'false', 'null', '""', '"x"', '"1"', '"nan"', '"2026-01-01"', '"é\\n"'),
);
const list: fc.Arbitrary<Text> = fc
  .oneof(
    fc.array(fc.constantFrom('1', '2', '-3', 'null'), { maxLength: 3 }),
    fc.array(fc.constantFrom('1', '2.5', '3.0'), { maxLength: 3 }),
    fc.array(fc.constantFrom('"a"', '"b"', 'null'), { maxLength: 3 }),
    fc.array(fc.constantFrom('true', 'false'), { maxLength: 2 }),
    fc.array(fc.constantFrom('1', '"a"', 'true', '[1]'), { maxLength: 3 }),
    fc.array(fc.constantFrom('{"c":1}', '{"c":"x","d":2}'), { minLength: 1, maxLength: 2 }),
    fc.array(fc.constantFrom('{"c":1}', 'null', '[{"c":1}]', '[null]', '[]'), { maxLength: 2 }),
  )
  .map((elements) => `[${elements.join(',')}]`);

const KEYS = ['a', 'b', 'c', 'null', '_timestamp', 'size', 'ä b', 'a.b', '', '`', 'x%', 'q"', 'Z9'];
const { tree } = fc.letrec<{ tree: Tree; object: Record<string, Tree> }>((tie) => ({
  tree: fc.oneof(
    { weight: 5, arbitrary: single },
    { weight: 2, arbitrary: list },
    { weight: 3, arbitrary: tie('object') },
  ),
  object: fc.dictionary(fc.constantFrom(...KEYS), tie('tree'), { maxKeys: 5 }),
}));
/** A column holds an object, null, or nothing (undefined). */
type Sent = Readonly<Record<string, Tree>> | null | undefined;
/** Records that agree more often than not, so that types live for a while. */
const records: fc.Arbitrary<readonly Sent[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tree, { maxKeys: 4 }),
    },
    { weight: 1, arbitrary: fc.constantFrom(null, undefined, {}) },
  ),
  { minLength: 1, maxLength: 12 },
);

const lineOf = (sent: Sent): string =>
  sent === undefined ? '{"other":1}' : `{"k":${sent === null ? 'null' : jsonOf(sent)}}`;

const jsonOf = (value: Tree): Text =>
  typeof value === 'string'
    ? value
    : `{${Object.entries(value)
        .map(([key, each]) => `${JSON.stringify(key)}:${jsonOf(each)}`)
        .join(',')}}`;

/** Finds the value that was sent at a path. It is undefined where there is nothing, or an object. */
function sentAt(record: Readonly<Record<string, Tree>>, keys: readonly string[]): Text | undefined {
  let value: Tree | undefined = record;
  for (const key of keys) {
    if (typeof value !== 'object') return undefined;
    value = Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return typeof value === 'string' && value !== 'null' ? value : undefined;
}

/** Tells whether a value of a column of this type is the one that was sent. */
function isSame(type: string, read: unknown, sent: Text): boolean {
  const value = JSON.parse(sent) as unknown;
  if (Array.isArray(value) && type.startsWith('Array('))
    return sameJson(read, value) || (value.length === 0 && sameJson(read, []));
  if (type === 'Nullable(String)' && typeof value !== 'string') {
    if (Array.isArray(value)) return sameJson(JSON.parse(String(read)), value);
    return typeof value === 'number' ? Number(read) === value : String(read) === sent;
  }
  if (typeof value !== 'number') return read === value;
  const isWhole = /^-?\d+$/.test(sent) && sent !== '-0';
  return isWhole && type !== 'Nullable(Float64)' ? String(read) === sent : Number(read) === value;
}

/** Whole numbers come in quotes. */
const sameJson = (read: unknown, sent: unknown): boolean =>
  JSON.stringify(read).replace(/"(-?\d+)"/g, '$1') === JSON.stringify(sent);

describe('fields within objects', () => {
  let opened: OpenReadBack;
  let tables = 0;
  let compared = 0;
  beforeAll(async () => {
    opened = await openReadBack();
  });
  afterAll(() => opened.close());

  const check = async (chunks: readonly (readonly Sent[])[]): Promise<void> => {
    const stream = await ReadBack.of(opened, `t${(tables += 1)}`);
    const sent: Sent[] = [];
    for (const chunk of chunks) {
      const lines = chunk.map(lineOf);
      const refused = new Set((await stream.store(lines)).map(({ line }) => line));
      sent.push(...chunk.filter((_, line) => !refused.has(line)));
      const { fields, rows } = await stream.within();
      const wrong = rows.flatMap((row, index) =>
        fields.flatMap(({ keys, type }, at) => {
          const value = sentAt(sent[index] ?? {}, keys);
          if (value !== undefined) compared += 1;
          const nothing = type.startsWith('Array(') ? [] : null;
          const is =
            value === undefined ? sameJson(row[at], nothing) : isSame(type, row[at], value);
          return is ? [] : [{ keys, type, sent: value, read: row[at] }];
        }),
      );
      expect(wrong).toEqual([]);
    }
    expect(await stream.changed()).toEqual([]);
    await stream.merge();
    expect(await stream.changed()).toEqual([]);
    await stream.drop();
  };

  it(
    'are read as they were sent, whatever comes in whatever order',
    async () => {
      await fc.assert(fc.asyncProperty(fc.array(records, { minLength: 1, maxLength: 3 }), check), {
        numRuns: RUNS,
      });
      expect(compared).toBeGreaterThan(10 * RUNS);
    },
    roundsMs(RUNS),
  );
});
