import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openReadBack, ReadBack, type OpenReadBack } from './read-back.js';

const { texts } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../fixtures/json-test-suite.json'), 'utf8'),
) as { texts: Readonly<Record<string, string>> };

interface Sent {
  readonly name: string;
  readonly bytes: Buffer;
}

const isJson = (name: string): boolean => name.startsWith('y_');
const isNone = (name: string): boolean => name.startsWith('n_');
/**
 * These texts contain nothing. Between brackets there may be nothing, and an empty line is no
 * record.
 */
const BLANK = new Set(['n_single_space', 'n_structure_no_data']);

/** A record is a line: line breaks are blanks here, but in what is to be refused. */
const sent = (wanted: (name: string) => boolean): Sent[] =>
  Object.entries(texts)
    .filter(([name]) => wanted(name))
    .map(([name, text]) => ({
      name,
      bytes: Buffer.from(isNone(name) ? text : text.replaceAll('\n', ' '), 'latin1'),
    }));

const within = (before: string, { bytes }: Sent, after: string): Buffer =>
  Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);

const isObject = ({ bytes }: Sent): boolean => bytes.toString().trimStart().startsWith('{');

/** These texts are JSON, and are refused because of a limit that the documents state. */
const REFUSED_VALUES = ['y_object_duplicated_key', 'y_object_duplicated_key_and_value'];
/** An object and a null in a list of several kinds: kept as text, but not within an object. */
const REFUSED_WITHIN = ['y_array_heterogeneous', ...REFUSED_VALUES];
const REFUSED_RECORDS: readonly (readonly [name: string, reason: string])[] = [
  ['y_object_duplicated_key', 'field "a": appears twice'],
  ['y_object_duplicated_key_and_value', 'field "a": appears twice'],
  ['y_object_empty_key', 'field "": int64 has no name'],
  ['y_object_escaped_null_in_key', 'field "foo\u0000bar": int64 has a control character in its name'], // prettier-ignore
];

/**
 * These tests of parsers come from another project. `y_` is JSON, `n_` is not, and parsers differ
 * about the rest.
 */
describe('the JSON parsing test suite', () => {
  let opened: OpenReadBack;
  let tables = 0;
  beforeAll(async () => {
    opened = await openReadBack();
  });
  afterAll(() => opened.close());
  const stream = (): Promise<ReadBack> => ReadBack.of(opened, `t${(tables += 1)}`);

  it('has its texts', () => {
    const counts = ['y_', 'n_', 'i_', 'transform_'].map(
      (prefix) => sent((name) => name.startsWith(prefix)).length,
    );
    expect(counts).toEqual([95, 186, 34, 18]);
  });

  it.each([
    ['a field', '', '', REFUSED_VALUES],
    ['a field within another', '{"w":', '}', REFUSED_WITHIN],
    ['an element', '[', ']', REFUSED_VALUES],
    ['an element of a field within', '{"w":[', ']}', REFUSED_WITHIN],
  ])('is JSON that %s gives back unchanged, or is refused', async (_, before, after, wanted) => {
    const back = await stream();
    const all = sent((name) => !isNone(name));
    const refusals = await back.store(
      all.map((each, index) => within(`{"f${index}":${before}`, each, `${after}}`)),
    );
    const refused = refusals.map(({ line }) => all[line]?.name ?? '');
    expect(refused.filter(isJson)).toEqual(wanted);
    expect(await back.changed()).toEqual([]);
    await back.merge();
    expect(await back.changed()).toEqual([]);
  });

  it('is records that are given back unchanged, or refused', async () => {
    const refused: (readonly [string, string])[] = [];
    for (const { name, bytes } of sent((each) => !isNone(each)).filter(isObject)) {
      const back = await stream();
      const [refusal] = await back.store([bytes]);
      if (refusal && isJson(name)) refused.push([name, refusal.reason]);
      expect(await back.changed()).toEqual([]);
    }
    expect(refused).toEqual(REFUSED_RECORDS);
  });

  it('is no records but objects', async () => {
    const back = await stream();
    const others = sent(isJson).filter((each) => !isObject(each));
    const refusals = await back.store(others.map(({ bytes }) => bytes));
    expect(refusals).toHaveLength(others.length);
    for (const { reason } of refusals)
      expect(reason).toMatch(/^not a record: want a JSON object, this is /);
  });

  it.each([
    ['the value of a field', '{"f":', '}'],
    ['an element', '{"f":[', ']}'],
    ['a record', '', ''],
  ])('is no JSON that %s takes', async (_, before, after) => {
    const back = await stream();
    const taken: string[] = [];
    for (const each of sent((name) => isNone(name) && !BLANK.has(name))) {
      const { accepted, rejected } = await back.accept([within(before, each, after)]);
      if (accepted || !rejected) taken.push(each.name);
    }
    expect(taken).toEqual([]);
  });
});
