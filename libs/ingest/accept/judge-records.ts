import { COLUMNS_MAX, EXACT_FLOAT } from '@app/streams';
import { quoteText, TIMESTAMP, type Column, type LocalEngine } from '@app/warehouse';
import { ALTERNATIVE_TIMESTAMP, JUDGED_TIME } from './convert-records.js';
import { EMPTY_ARRAY, FIELDS, kindOf, NOTHING } from './field-kind.sql.js';
import { isTooDeep, NESTING_MAX } from './nesting.sql.js';
import { notJson } from './not-json.sql.js';
import { STRUCTURAL } from './structural.js';
import { mayHave, type Survey } from './survey-records.js';
import { fieldMicros, hasField, isBeforeKept, isTime, NOT_KEPT } from './timestamp.sql.js';
import { writtenIntegers } from './written-integers.sql.js';

export interface Judgement {
  readonly source: string;
  readonly firstLine: number;
  readonly columns: readonly Column[];
  /** Whether a value of this kind goes into a column of this type without loss. */
  readonly fits: (type: string, kind: string) => boolean;
  /** What the records hold. */
  readonly survey: Survey;
  /** Why a field cannot become a column, by field. */
  readonly refusedFields: ReadonlyMap<string, string>;
  /** Microseconds since the epoch: an earlier record is not for this stream. */
  readonly keptFrom: number | undefined;
}

/** Said, not read off the file: of a chunk of blank lines it is empty. */
const VERDICT = 'number UInt64, line String, micros Nullable(Int64), reason String';

/**
 * Judges every line and writes the verdicts to a file.
 * @returns SQL of all of them, as {@link judgedLines} has them: to judge once costs more than to read them often.
 */
export async function judgeRecords(
  engine: LocalEngine,
  judgement: Judgement,
  target: string,
): Promise<string> {
  await engine.run(
    `INSERT INTO FUNCTION file(${quoteText(target)}, Native) SELECT * FROM (${judgedLines(judgement)})`,
  );
  // Reading some of its columns must not fail for the others.
  return `SELECT * FROM file(${quoteText(target)}, Native, ${quoteText(VERDICT)}) SETTINGS input_format_skip_unknown_fields = 1`;
}

/**
 * SQL that answers `number` (of the line), `line`, `micros` and `reason` (empty where it can be stored) for every line that is
 * not blank, judging each value against its column. Exact, and slower than parsing by types: it
 * runs for chunks in which something is unusual.
 */
function judgedLines(judgement: Judgement): string {
  const { source, firstLine, survey } = judgement;
  const micros = (name: string): string =>
    mayHave(survey, name) ? fieldMicros(name) : "CAST(NULL, 'Nullable(Int64)')";
  return (
    `SELECT number, line, coalesce(own_time, other_time) AS micros, ${reasonSql(judgement)} AS reason FROM (` +
    `SELECT number, line, ${FIELDS} AS fields, arrayMap(f -> ${kindOf('f.2')}, fields) AS kinds,` +
    ` ${writtenIntegers(namesOf(judgement.columns, FLOAT, FLOATS))} AS written, ${unfitIndex(judgement)} AS unfit,` +
    ` ${micros(TIMESTAMP.name)} AS own_time, ${micros(ALTERNATIVE_TIMESTAMP)} AS other_time` +
    ` FROM (SELECT ${firstLine} + rowNumberInAllBlocks() AS number, trimBoth(line, ' \\t\\r') AS line` +
    ` FROM file(${quoteText(source)}, LineAsString)) WHERE line != '')`
  );
}

/** SQL: a judged line as conversion reads it: its time first, then its fields as the parser wrote them. */
export const JUDGED_RECORD =
  `concat('{${JSON.stringify(JUDGED_TIME).replace('\\', '\\\\')}:', ifNull(toString(micros), 'null'),` +
  " if(length(JSONExtractRaw(line)) > 2, ',', ''), substring(JSONExtractRaw(line), 2))";

/** Counts records to store and to refuse, and tells the first refusal. */
export async function countJudged(engine: LocalEngine, lines: string): Promise<JudgedCounts> {
  const answer = await engine.run(
    "SELECT toJSONString(tuple(countIf(reason = ''), countIf(reason != '')," +
      ` countIf(startsWith(reason, ${quoteText(STRUCTURAL)})),` +
      " minIf(number, reason != ''), argMinIf(reason, number, reason != ''), argMinIf(substring(line, 1, 65536), number, reason != '')))" +
      ` FROM (${lines})`,
  );
  const [good, bad, structural, line, reason, text] = JSON.parse(answer) as [
    number,
    number,
    number,
    number,
    string,
    string,
  ];
  return {
    good: Number(good),
    bad: Number(bad),
    structural: Number(structural) === Number(bad),
    first: { line: Number(line), reason, text },
  };
}

export interface JudgedCounts {
  readonly good: number;
  readonly bad: number;
  /** Whether all that is refused is no record at all. */
  readonly structural: boolean;
  /** Meaningful while `bad` is not 0; `text` holds the line's first 64 KiB. */
  readonly first: { readonly line: number; readonly reason: string; readonly text: string };
}

const FLOAT = 'Nullable(Float64)';
const FLOATS = 'Array(Nullable(Float64))';
/** An array of numbers and nulls, as the parser writes it. */
const NUMBERS = '^\\[(?:null|[-+0-9.eE,])*\\]$';

const namesOf = (columns: readonly Column[], ...types: readonly string[]): readonly string[] =>
  columns.filter(({ type }) => types.includes(type)).map(({ name }) => name);

/** Index of the first field whose value does not fit; 0 when all do. */
function unfitIndex({ columns, survey, fits }: Judgement): string {
  const kinds = new Set([...survey.values()].flatMap((seen) => [...seen.keys()]));
  const pairs = columns.flatMap(({ name, type }) =>
    [...kinds].filter((kind) => fits(type, kind)).map((kind) => tuple(name, kind)),
  );
  const floats = namesOf(columns, FLOAT);
  const floatArrays = namesOf(columns, FLOATS);
  const unsigned = namesOf(columns, 'Nullable(UInt64)');
  const unsignedArrays = namesOf(columns, 'Array(Nullable(UInt64))');
  const beyond = (raw: string): string => `ifNull(abs(toInt64OrNull(${raw})) > ${EXACT_FLOAT}, 0)`;
  const among = (names: readonly string[], test: string): string[] =>
    names.length > 0 ? [`(f.1 IN (${names.map(quoteText).join(', ')}) AND ${test})`] : [];
  const fitting = [
    `k = '${NOTHING}'`,
    `(${emptyArrayFits(columns)})`,
    `f.1 = '${TIMESTAMP.name}'`,
    ...(pairs.length > 0 ? [`(f.1, k) IN (${pairs.join(', ')})`] : []),
    ...among(floats, "k = 'UInt64' AND NOT has(written, f.1)"),
    ...among(floatArrays, `NOT has(written, f.1) AND match(f.2, ${quoteText(NUMBERS)})`),
  ];
  const rounded = [
    ...among(floats, `k = 'Int64' AND has(written, f.1) AND ${beyond('f.2')}`),
    ...among(
      floatArrays,
      `k != '${NOTHING}' AND has(written, f.1) AND arrayExists(e -> ${beyond('e')}, JSONExtractArrayRaw(f.2))`,
    ),
    ...among(unsigned, "startsWith(f.2, '-')"),
    ...among(unsignedArrays, "arrayExists(e -> startsWith(e, '-'), JSONExtractArrayRaw(f.2))"),
    // The engine could not read back what its parser wrote of it, but as floats.
    `(startsWith(f.2, '[') AND NOT isValidJSON(f.2)${among(floatArrays, 'NOT has(written, f.1)')
      .map((test) => ` AND NOT ${test}`)
      .join('')})`,
    "(k = 'JSON' AND isNull(JSONExtract(f.2, 'Nullable(JSON)')))",
    "(k = 'Array(JSON)' AND arrayExists(e -> isNull(JSONExtract(e, 'Nullable(JSON)')), JSONExtractArrayRaw(f.2)))",
  ];
  const unfit = [`NOT (${fitting.join(' OR ')})`, ...rounded]
    .map((test) => `ifNull(${test}, 0)`)
    .join(' OR ');
  return `arrayFirstIndex((f, k) -> ${unfit}, fields, kinds)`;
}

/** An array that says nothing about its elements goes into any array column, or is nothing to store. */
function emptyArrayFits(columns: readonly Column[]): string {
  const others = columns.filter(({ type }) => !type.startsWith('Array(')).map(({ name }) => name);
  const objects = columns.filter(({ type }) => type === 'Array(JSON)').map(({ name }) => name);
  const tests = [`k = '${EMPTY_ARRAY}'`];
  if (others.length > 0) tests.push(`f.1 NOT IN (${others.map(quoteText).join(', ')})`);
  // A null among objects would become an object.
  if (objects.length > 0)
    tests.push(`(f.1 NOT IN (${objects.map(quoteText).join(', ')}) OR f.2 = '[]')`);
  return tests.join(' AND ');
}

function reasonSql({ columns, refusedFields, keptFrom }: Judgement): string {
  const field = 'fields[unfit].1';
  const names = quoteList([...columns.map((column) => column.name), ...refusedFields.keys()]);
  const explanations = quoteList([
    ...columns.map(({ type }) =>
      type.includes('JSON')
        ? `does not fit the column's type, ${type}, or names a nested field twice`
        : `does not fit the column's type, ${type}, without loss`,
    ),
    ...refusedFields.values(),
  ]);
  const notATime = (name: string, rule: string): string =>
    quoteText(
      `field "${name}": want ISO 8601 or seconds, milli-, micro- or nanoseconds since 1970, between 1900 and 2299${rule}`,
    );
  const cases: [string, string][] = [
    ['NOT isValidUTF8(line)', quoteText(`${STRUCTURAL}invalid UTF-8`)],
    ...notJson('line').map(([test, reason]): [string, string] => [test, quoteText(reason)]),
    [
      "JSONType(line) != 'Object'",
      `concat(${quoteText(`${STRUCTURAL}want a JSON object, this is `)}, lower(toString(JSONType(line))))`,
    ],
    [
      isTooDeep('line'),
      quoteText(
        `it is nested deeper than ${NESTING_MAX} levels; send what is inside as text, or in fields of its own`,
      ),
    ],
    [
      `length(fields) > ${COLUMNS_MAX}`,
      quoteText(`${STRUCTURAL}it has more than the ${COLUMNS_MAX} fields a stream can have`),
    ],
    [
      'length(arrayDistinct(arrayMap(f -> f.1, fields))) != length(fields)',
      quoteText('a field appears twice'),
    ],
    [
      'unfit > 0',
      `concat('field "', ${field}, '": ', multiIf(kinds[unfit] = 'JSON', 'object', lower(kinds[unfit])), ' ', transform(${field}, ${names}, ${explanations}, 'cannot become a column'))`,
    ],
    [`${hasField(TIMESTAMP.name)} AND NOT ${isTime('own_time')}`, notATime(TIMESTAMP.name, '')],
    [
      `isNull(own_time) AND ${hasField(ALTERNATIVE_TIMESTAMP)} AND NOT ${isTime('other_time')}`,
      notATime(ALTERNATIVE_TIMESTAMP, ', or send _timestamp'),
    ],
  ];
  if (keptFrom !== undefined)
    cases.push([isBeforeKept('coalesce(own_time, other_time)', keptFrom), quoteText(NOT_KEPT)]);
  return `multiIf(${cases.flat().join(', ')}, '')`;
}

const tuple = (name: string, kind: string): string => `(${quoteText(name)}, ${quoteText(kind)})`;

/** Never empty: the engine's `transform` wants at least one entry. */
function quoteList(texts: readonly string[]): string {
  return `[${(texts.length > 0 ? texts : ['']).map(quoteText).join(', ')}]`;
}
