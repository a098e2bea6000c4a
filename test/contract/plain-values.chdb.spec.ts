import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { parseTableUri } from '../../libs/edge/describe/table-argument.js';
import { COPIES, dropCopy } from '../../libs/edge/registry/prepare/copies.js';
import { prepareTable } from '../../libs/edge/registry/prepare/prepare-table.js';
import { rounds } from '../rounds.js';
import { sourcesUnderTest } from './sources-under-test.js';

/** More than the rows, and the bytes, that are a beginning. */
const LINES = 1_500;

const RUNS = rounds(60, 2_000);

/** Values as they may stand in CSV, of kinds that are near to each other. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  integers: ['0', '7', '-12', '123456789012345678', '-999999999999999999'],
  'long integers': ['9223372036854775807', '9223372036854775808', '12345678901234567890123'],
  fractions: ['0.5', '-1.25', '1e3', '12345678901234567.5', '.5', '5.', '1E-7', '0.30000000000000004'],
  'odd numbers': ['007', '+1', '-0', '00.5', ' 12 ', '1e400', '1e-400', 'nan', 'inf', '0x1F', '1_000', '١'],
  truths: ['true', 'false'],
  'other truths': ['True', 'TRUE', 'yes', 'f'],
  days: ['2020-02-29', '2299-12-31', '1900-01-01'],
  'other days': ['2020/02/29', '01/02/2020', '2020-02-30', '1850-01-01', '20200101', '2400-01-01'],
  times: ['2020-01-01 10:00:00', '2020-01-01T10:00:00.123456Z', '2020-01-01 10:00:00+02:00'],
  'other times': ['2020-01-01 10:00', '2020-01-01 10:00:00.123456789', '2300-01-01 00:00:00', '1900-01-01 00:00:00+05:00', '10:00:00', '2020-01-01-001', '2020-01-01 24:00:00'],
  quoted: ['"7"', '"0.5"', '"true"', '""', '"2020-02-29"', '"x, y"', '" 7"', '"a ""b"""', '"1\n2"'],
  texts: ['x', 'null', 'NULL', '\\N', '[1]', "['x']", '{}', '{"a": 1}', "'x'", '(1)'],
  nothing: [''],
}; // prettier-ignore
const PLAIN_KINDS = [
  'integers',
  'fractions',
  'truths',
  'days',
  'times',
  'texts',
  'nothing',
  'quoted',
];

const JSONS: Readonly<Record<string, readonly string[]>> = {
  integers: ['0', '7', '-12', '123456789012345678'],
  'long integers': ['9223372036854775807', '18446744073709551615', '99999999999999999999'],
  fractions: ['0.5', '-1.25', '1e3', '1E-7', '12345678901234567.5'],
  'odd numbers': ['-0', '1e400', '1e-400', '-0.0', '9007199254740993.0'],
  truths: ['true', 'false'],
  texts: ['"x"', '""', '"2020-01-01"', '"true"', '"7"', '"{}"', '"[1]"', '"null"', '"\\u00e9\\n"'],
  nothing: ['null'],
  lists: ['[]', '[1, 2]', '[0.5]', '["x"]', '[null]', '[true]', '[1, true]', '["x", 1]', '[[1]]', '["x", [1]]', '[9007199254740993, 1.5]', '["7"]'],
  objects: ['{}', '{"a": 1}', '{"a": 1.5}', '{"a": "x"}', '{"a": null}', '{"b": {"c": true}}', '{"a": 1, "b": {"c": 2}}', '{"a": 1, "a": 2}'],
  'lists of objects': ['[{"a": 1}]', '[{"a": "x"}]', '[{"a": "3"}]', '[{"b": 1}]', '[{}]', '[{"a": [1]}, null]'],
}; // prettier-ignore

/** A few values of few kinds, so that most of the columns have a type of their own. */
const valuesOf = (kinds: Readonly<Record<string, readonly string[]>>, names: readonly string[]) =>
  fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 2 }).chain((some) =>
    fc.array(fc.constantFrom(...some.flatMap((kind) => kinds[kind] ?? [])), {
      minLength: 1,
      maxLength: 3,
    }),
  );

const cases = (kinds: Readonly<Record<string, readonly string[]>>, first: readonly string[]) =>
  fc.record({
    begun: fc.oneof({ weight: 4, arbitrary: valuesOf(kinds, first) }, valuesOf(kinds, Object.keys(kinds))),
    later: fc.oneof(valuesOf(kinds, first), valuesOf(kinds, Object.keys(kinds))),
  }); // prettier-ignore

/**
 * Types are looked for in the beginning of a large file, and all values are looked at then. What
 * comes of it must be what comes of all values where there is no beginning.
 */
describe('a beginning tells types as all rows do', () => {
  const sources = sourcesUnderTest();
  beforeAll(() => sources.engine.statements.run(`CREATE DATABASE ${COPIES}`));

  /** The columns and the values of a table, or why it is refused. */
  async function outcome(file: string, text: string): Promise<unknown> {
    writeFileSync(join(sources.folder, file), text);
    try {
      const { columns, copy, select } = await prepareTable(parseTableUri('t', file), sources.workshop);
      const rows = copy ? `SELECT * FROM ${copy.table}` : select;
      const sql = `SELECT DISTINCT * FROM (${rows}) ORDER BY ALL FORMAT JSONEachRow`;
      const told = await sources.engine.statements.run(sql);
      if (copy) await dropCopy(copy, sources.workshop);
      return [columns, told];
    } catch (error) {
      return (error as Error).message.replaceAll(/\d+|small|large/g, '').slice(0, 80);
    }
  } // prettier-ignore

  const property = (
    ending: string,
    head: string,
    line: (value: string) => string,
    { begun, later }: { readonly begun: readonly string[]; readonly later: readonly string[] },
  ) => {
    const beginning = begun.map(line).join('');
    const rest = later.map(line).join('');
    const many = beginning.repeat(LINES);
    return Promise.all([
      outcome(`small.${ending}`, head + beginning + rest),
      outcome(`large.${ending}`, head + many + rest),
    ]);
  };

  it('in CSV', async () => {
    await fc.assert(
      fc.asyncProperty(cases(FIELDS, PLAIN_KINDS), async (values) => {
        const line = (value: string): string => `${value},${'x'.repeat(200)}\n`;
        const [small, large] = await property('csv', 'v,t\n', line, values);
        expect(large).toEqual(small);
      }),
      { numRuns: RUNS },
    );
  });

  it('in JSON', async () => {
    await fc.assert(
      fc.asyncProperty(cases(JSONS, Object.keys(JSONS)), async (values) => {
        const line = (value: string): string => `{"v": ${value}, "t": "${'x'.repeat(200)}"}\n`;
        const [small, large] = await property('ndjson', '', line, values);
        // The engine finds no type for some numbers; among texts they are what is written there.
        const isText = JSON.stringify(large).startsWith('[[{"name":"v","type":"Nullable(String)"}');
        if (typeof small !== 'string' || !isText) expect(large).toEqual(small);
      }),
      { numRuns: RUNS },
    );
  });
});
