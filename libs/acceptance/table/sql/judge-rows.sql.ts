import { declarableName, readValueType } from '@app/streams';
import { quoteText, TIMESTAMP, type Column } from '@app/warehouse';
import { isBeforeKept, isTime, micros, microsOf } from './timestamp.sql.js';
import { ALTERNATIVE_TIMESTAMP, REASON } from '../../judge/refusals/reasons.js';
import { fitting, mapped, nestedOnce } from './fit-column.sql.js';
import { plainType, plainValue } from './plain-value.sql.js';
import { isJsonArray, isJsonText } from './stored-value.sql.js';

/** A field as it stands in the files of spooled rows. */
export interface StoredField {
  readonly name: string;
  /** The kind of its values, as `storedKind` names it; `Micros`: a time, in microseconds since 1970. */
  readonly kind: string;
  /** Tells whether its text comes unchecked from the table, and might not be UTF-8. */
  readonly foreignText: boolean;
  /** Objects only: kinds of what is within them, and their own type. See `kindsWithin`, `givenKinds`. */
  readonly within?: readonly string[];
}

interface RowJudgement {
  readonly source: string;
  readonly firstLine: number;
  readonly columns: readonly Column[];
  readonly fields: readonly StoredField[];
  /** Tells why a field cannot become a column, by field. */
  readonly refusedFields: ReadonlyMap<string, string>;
  /** Microseconds since the epoch: an earlier row is not for this stream. */
  readonly keptFrom: number | undefined;
  /** Tells whether to look into objects too. */
  readonly nested: boolean;
}

export interface JudgedRows {
  /** SELECT that gives the rows, and their `number`. */
  readonly rows: string;
  /** SQL over it: why a row cannot be stored; `''` when all can be. */
  readonly reason: string;
  /** SQL over it: the row as a JSON record. */
  readonly record: string;
  /** SQL over it: its time in microseconds since 1970, or NULL. */
  readonly micros: string;
  /** SQL over it: a value for each column. */
  readonly values: readonly string[];
}

/** Name of a field's column in the files of spooled rows. */
export const columnOf = (index: number): string => `f${index}`;

/** Tells how spooled rows become rows of a stream. */
export function judgedRows(judgement: RowJudgement): JudgedRows {
  const { source, firstLine, columns, fields, keptFrom } = judgement;
  const placed = fields.map((field, index) => ({ ...field, value: columnOf(index) }));
  const own = placed.find(({ name }) => name === TIMESTAMP.name);
  const other = placed.find(({ name }) => name === ALTERNATIVE_TIMESTAMP);
  const times = [own, other].flatMap((field) => (field ? [timeOf(field)] : []));
  const time = `coalesce(${[...times, 'NULL'].join(', ')})`;
  const cases = [
    ...placed.flatMap((field) => refusals(field, judgement)),
    ...(own ? [notATime(own)] : []),
    ...(other ? [notATime(other, own && timeOf(own))] : []),
    ...(keptFrom !== undefined && times.length > 0
      ? [[isBeforeKept(time, keptFrom), quoteText(REASON.notKept)]]
      : []),
  ];
  return {
    rows: `SELECT ${firstLine} + rowNumberInAllBlocks() AS number, * FROM file(${quoteText(source)}, Native) SETTINGS input_format_skip_unknown_fields = 1`,
    reason: cases.length > 0 ? `multiIf(${cases.flat().join(', ')}, '')` : "''",
    record: recordSql(placed),
    micros: time,
    values: columns.map(({ name, type }) => {
      const field = placed.find((each) => each.name === name);
      if (!field) return `defaultValueOfTypeName(${quoteText(type)})`;
      return fitting(field.value, field.kind, type).value;
    }),
  };
}

interface PlacedField extends StoredField {
  readonly value: string;
}

/** Conditions under which a row is refused, each with its reason. */
function refusals(field: PlacedField, judgement: RowJudgement): [string, string][] {
  const { name, kind, value, foreignText } = field;
  if (name === TIMESTAMP.name) return [];
  const refuse = (condition: string, reason: string): [string, string][] => [
    [condition, quoteText(`field ${JSON.stringify(name)}: ${reason}`)],
  ];
  const refused = judgement.refusedFields.get(name);
  const type = judgement.columns.find((column) => column.name === name)?.type;
  if (type === undefined)
    return refuse(isThere(field), `${kindName(kind)} ${refused ?? 'cannot become a column'}`);
  const { fits } = fitting(value, kind, type);
  const once = judgement.nested ? nestedOnce(value, kind) : undefined;
  return [
    ...(foreignText ? refuse(`NOT ${isUtf8(value, kind)}`, 'invalid UTF-8') : []),
    ...(fits === undefined
      ? []
      : refuse(
          `NOT (${fits})`,
          `${kindName(kind)} does not fit the column's type, ${shownType(type)}, without loss${yearsOf(type)}`,
        )),
    ...(once === undefined
      ? []
      : refuse(
          `NOT ${once}`,
          `${kindName(kind)} does not fit the column's type, ${type}, or names a nested field twice`,
        )),
  ];
}

/** Names the years, or hours, that a column of times takes, for people who send others. */
function yearsOf(column: string): string {
  const type = readValueType(/^Array\((.+)\)$/.exec(column)?.[1] ?? column);
  if (type?.family === 'time')
    return ', which has the times of one day; a column declared Utf8 before its first value takes all';
  if (type?.family !== 'date' && type?.family !== 'timestamp') return '';
  const last = type.family === 'timestamp' && type.digits > 6 ? 2262 : 2299;
  return `, which has the years 1900 to ${last}; a column declared Utf8 before its first value takes all`;
}

/** The engine's name of a type. The name for bytes is our own. */
const shownType = (type: string): string => (isBinary(type) ? declarableName(type) : type);

const isBinary = (type: string): boolean =>
  readValueType(/^Array\((.+)\)$/.exec(type)?.[1] ?? type)?.family === 'binary';

const kindName = (kind: string): string =>
  kind === 'JSON' ? 'object' : shownType(kind).toLowerCase();

function isUtf8(value: string, kind: string): string {
  return kind === 'Array(Nullable(String))'
    ? `arrayAll(e -> isValidUTF8(ifNull(e, '')), ${value})`
    : `isValidUTF8(ifNull(${value}, ''))`;
}

function isThere({ value, kind }: PlacedField): string {
  if (isJsonArray(kind)) return `${value} != '[]'`;
  return kind.startsWith('Array(') ? `notEmpty(${value})` : `isNotNull(${value})`;
}

/**
 * SQL: the field's time in microseconds. It is NULL where the field has no value, or a value that
 * is no time.
 */
function timeOf({ value, kind }: PlacedField): string {
  if (kind === 'Micros') return value;
  const type = readValueType(kind);
  if (type?.family === 'timestamp') return microsOf(value, type);
  if (type?.family === 'date') return microsOf(value, { family: 'date' });
  const plain = type && plainType(type);
  if (!plain || plain === 'Bool') return "CAST(NULL, 'Nullable(Int64)')";
  const there = `assumeNotNull(${plainValue(value, type)})`;
  const told = plain === 'UInt64' ? micros(`toInt64(${there})`, 'Int64') : micros(there, plain);
  return `if(isNull(${value}), NULL, ${told})`;
}

/** @param before a time that makes this one irrelevant, if there is one. */
function notATime(field: PlacedField, before?: string): [string, string] {
  const rule = before === undefined && field.name === TIMESTAMP.name ? '' : ', or send _timestamp';
  const unless = before === undefined ? '' : `isNull(${before}) AND `;
  return [
    `${unless}${isThere(field)} AND NOT ${isTime(timeOf(field))}`,
    quoteText(
      `field ${JSON.stringify(field.name)}: want ISO 8601 or seconds, milli-, micro- or nanoseconds since 1970, between 1900 and 2299${rule}`,
    ),
  ];
}

function recordSql(fields: readonly PlacedField[]): string {
  const expressions = fields.map((field) => {
    const { name, kind, value } = field;
    const text = isJsonText(kind) ? value : `toJSONString(${plain(value, kind)})`;
    const key = quoteText(`${JSON.stringify(name)}:`);
    return `if(${isThere(field)}, concat(${key}, assumeNotNull(${text})), '')`;
  });
  return `concat('{', arrayStringConcat(arrayFilter(field -> field != '', [${expressions.join(', ')}]), ','), '}')`;
}

/** SQL of single values, or a list of them, as a record has them. */
function plain(value: string, kind: string): string {
  const [, element] = /^Array\((.+)\)$/.exec(kind) ?? [];
  const type = readValueType(element ?? kind);
  if (!type) return value;
  return element === undefined ? plainValue(value, type) : mapped(value, plainValue('e', type));
}
