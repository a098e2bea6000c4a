import {
  isEngineFormat,
  quoteIdentifier,
  quoteText,
  readBinaryType,
  readRawBinaryType,
  type Column,
  type AnswerFormat,
  withoutNull,
} from '@app/warehouse';
import { asText, binaryValue } from './binary-values.js';
import { readElement, readEngineType, typeWithin } from './engine-type.js';
import { givenValues } from './given-values.js';
import { isShownAsText, shownText, shownType } from './wall-times.js';

type Leaf = (name: string, parameters: readonly string[]) => string | undefined;

const NUMBERS_AS_BYTES = /^U?Int(?:128|256)$/;
/**
 * Columns of these types have values of several types. They become text, because a column of the
 * format has one type.
 */
const MIXED = /^(?:Dynamic|Variant)$/;

/** Other programs would read such columns as bytes, as numbers without a meaning, or not at all. */
const arrowLeaf: Leaf = (name, parameters) => {
  if (MIXED.test(name)) return 'Nullable(String)';
  if (name === 'DateTime') return `DateTime64(${['0', ...parameters].join(', ')})`;
  if (NUMBERS_AS_BYTES.test(name) || /^(?:Enum8|Enum16|IPv4|IPv6)$/.test(name)) return 'String';
  // Its bytes would be an address within this process.
  if (name === 'AggregateFunction') return 'String';
  return name === 'BFloat16' ? 'Float32' : undefined;
};

/** Digits of a second. */
const MICROS = 6;

const parquetLeaf: Leaf = (name, [digits]) => {
  if (MIXED.test(name) || name === 'Nothing') return 'Nullable(String)';
  if (NUMBERS_AS_BYTES.test(name) || /^(?:IPv4|IPv6|AggregateFunction)$/.test(name))
    return 'String';
  // The engine writes no times of day; `own-types/` restores the type in the answer.
  if (/^Time(?:64)?$/.test(name))
    return `DateTime64(${Number(digits ?? 0) > MICROS ? 9 : MICROS}, 'UTC')`;
  if (name.startsWith('Interval')) return 'Int64';
  return name === 'BFloat16' ? 'Float32' : undefined;
};

const LEAVES: Partial<Record<AnswerFormat, Leaf>> = {
  'arrow-stream': arrowLeaf,
  'arrow-file': arrowLeaf,
  parquet: parquetLeaf,
};

/**
 * Formats that cannot carry every type of the engine for other readers. A client that asks for one
 * by the engine's own name knows the engine's types.
 * @param wallTimes whether times without a zone may be among the columns.
 */
export const needsFitting = (format: AnswerFormat, wallTimes: boolean): boolean =>
  !isEngineFormat(format) && (wallTimes || format === 'csv' || LEAVES[format] !== undefined);

/** A statement whose columns the format can carry. */
interface Fitted {
  readonly sql: string;
  /** The columns before the conversion; those that were not base64 of bytes are texts. */
  readonly columns: readonly Column[];
}

/** Tells whether the format has structs and maps, in place of JSON. */
export const hasStructs = (format: AnswerFormat): boolean => LEAVES[format] !== undefined;

/** The length of expressions that read structs, as the engine takes them; further columns stay JSON. */
const STRUCTS_MAX = 192 * 1024;
/** The same for structs, lists and maps that are shown as text; further ones are as the engine shows them. */
const TEXTS_MAX = STRUCTS_MAX;

/**
 * The statement with columns that the format can carry. In CSV, lists and objects are JSON. In
 * Arrow and Parquet, values without a type of theirs are text. The text of a time without a zone
 * has no zone.
 * @param columns of the statement, in order.
 * @param given the types that sources gave columns of JSON, by their names.
 * @param marksBytes false if the answer cannot mark bytes: they stay base64 text.
 */
export function fitColumns(
  statement: string,
  columns: readonly Column[],
  format: AnswerFormat,
  given: ReadonlyMap<string, string> = new Map(),
  marksBytes = true,
): Fitted {
  let structs = 0;
  let texts = 0;
  const expressionOf = (column: string, type: string): string => {
    const sql = expression(column, type, format, marksBytes);
    if (hasStructs(format) || !isShownAsText(type) || !isNested(type)) return sql;
    texts += sql.length;
    return texts <= TEXTS_MAX ? sql : format === 'csv' ? `toJSONString(${column})` : column;
  };
  const fitted = columns.map(({ name, type }, at) => {
    const column = `c${at}`;
    const told = hasStructs(format) ? given.get(name) : undefined;
    const struct = told !== undefined && isKeptAsJson(type, told) ? told : undefined;
    const read = struct === undefined ? undefined : ofStruct(column, struct, format, marksBytes);
    structs += read?.length ?? 0;
    if (struct === undefined || read === undefined || structs > STRUCTS_MAX)
      return { name, type, column, sql: expressionOf(column, type) };
    return { name, type: struct, column, sql: read };
  });
  const isUnchanged = fitted.every(({ column, sql }) => sql === column);
  const isAmbiguous = new Set(fitted.map(({ name }) => name)).size < fitted.length;
  const list = fitted.map(({ column }) => column).join(', ');
  const from = `(\n${statement}\n) AS fitted(${list})`;
  if (isUnchanged || isAmbiguous) {
    const shown = fitted.map(({ name, type, sql }) => ({ name, sql, type: typeOf(type, format) }));
    // Arrow and Parquet would have the types of both SELECTs.
    const isKept = isUnchanged || hasStructs(format);
    return {
      sql: (isKept ? undefined : selectOfOneName(shown, from)) ?? statement,
      columns: columns.map(({ name, type }) => ({ name, type: asText(type) })),
    };
  }
  const selected = fitted.map(({ name, sql }) => `${sql} AS ${quoteIdentifier(name)}`);
  return {
    sql: `SELECT ${selected.join(', ')} FROM ${from}`,
    columns: fitted.map(({ name, type }, at) => {
      const isBinary = binaryValue(name, type) !== undefined || type !== columns[at]?.type;
      return { name, type: marksBytes && isBinary ? type : asText(type) };
    }),
  };
}

/** Tells whether a column of that type may be one to which a source gave a type. */
const isKeptAsJson = (type: string, given: string): boolean =>
  given.startsWith('Array(')
    ? /^Array\((?:JSON|Dynamic)/.test(type)
    : /^(?:Nullable\()?JSON/.test(type);

function ofStruct(column: string, given: string, format: AnswerFormat, isRaw: boolean): string {
  const { sql, type } = givenValues(column, given, isRaw);
  const leaf = LEAVES[format];
  const target = leaf ? fittedType(type, leaf) : type;
  return target === type ? sql : `CAST(${sql}, ${quoteText(target)})`;
}

function expression(
  column: string,
  type: string,
  format: AnswerFormat,
  marksBytes: boolean,
): string {
  const leaf = LEAVES[format];
  if (type === 'Dynamic' && (leaf || format === 'csv')) return textOfAnything(column);
  if (leaf && type === 'Array(Dynamic)') return `arrayMap(e -> ${textOfAnything('e')}, ${column})`;
  if (!leaf) {
    const value = isShownAsText(type) ? shownText(column, type) : column;
    return format === 'csv' && isNested(type) ? `toJSONString(${value})` : value;
  }
  const bytes = marksBytes ? binaryValue(column, type) : undefined;
  if (bytes !== undefined) return bytes;
  const target = fittedType(type, leaf);
  return target === type ? column : `CAST(${column}, ${quoteText(target)})`;
}

/** The type that a column has in the text formats. */
const typeOf = (type: string, format: AnswerFormat): string =>
  format === 'csv' && (isNested(type) || type === 'Dynamic') ? 'Nullable(String)' : shownType(type);

/** Lists and objects as JSON, anything else as it is. */
const textOfAnything = (column: string): string =>
  `if(match(dynamicType(${column}), '^(Array|Map|Tuple|JSON)'), toJSONString(${column}), CAST(${column}, 'Nullable(String)'))`;

function isNested(type: string): boolean {
  const read = readEngineType(type);
  if (read.name === 'Nullable') return isNested(typeWithin(read));
  return /^(?:Array|Map|Tuple|Nested|Point|Ring|LineString|Polygon|Multi\w+)$/.test(read.name);
}

function fittedType(type: string, leaf: Leaf): string {
  // The engine would answer bytes of a fixed length, namely the characters of the base64.
  if (readBinaryType(type)) return 'String';
  const read = readEngineType(type);
  const { name, parameters } = read;
  switch (name) {
    case 'Nullable': {
      const inner = fittedType(typeWithin(read), leaf);
      return inner.startsWith('Nullable(') ? inner : `Nullable(${inner})`;
    }
    case 'LowCardinality': {
      const inner = fittedType(typeWithin(read), leaf);
      return inner === typeWithin(read) ? type : inner;
    }
    case 'SimpleAggregateFunction':
      if (readRawBinaryType(type)) return type;
      return fittedType(typeWithin(read, 1), leaf);
    case 'Array':
      return `Array(${fittedType(typeWithin(read), leaf)})`;
    case 'Map':
      return `Map(${typeWithin(read)}, ${fittedType(typeWithin(read, 1), leaf)})`;
    case 'Tuple': {
      const elements = parameters.map(readElement);
      return `Tuple(${elements.map((each) => each.name + fittedType(each.type, leaf)).join(', ')})`;
    }
    default:
      return leaf(name, parameters) ?? type;
  }
}

interface NamedColumn {
  readonly name: string;
  readonly sql: string;
  /** The type of the expression. */
  readonly type: string;
}

/**
 * A SELECT of expressions of which several have one name. The engine refuses such names by AS, but
 * the first of several SELECTs names the columns of all: this one has no rows, and the same
 * expression for each column of a name.
 * @returns undefined where columns of one name have several types, or a type is not told
 */
function selectOfOneName(columns: readonly NamedColumn[], from: string): string | undefined {
  const firsts = new Map<string, { readonly source: string; readonly type: string }>();
  for (const { name, type } of columns) {
    const first = firsts.get(name);
    if (type === '' || (first && withoutNull(first.type) !== withoutNull(type))) return undefined;
    if (!first) firsts.set(name, { source: `n${firsts.size}`, type });
  }
  const named = columns.map(
    ({ name }) => `${firsts.get(name)?.source} AS ${quoteIdentifier(name)}`,
  );
  const values = [...firsts.values()].map(
    ({ source, type }) => `defaultValueOfTypeName(${quoteText(type)}) AS ${source}`,
  );
  return (
    `SELECT ${named.join(', ')} FROM (SELECT ${values.join(', ')}) WHERE false` +
    ` UNION ALL SELECT ${columns.map(({ sql }) => sql).join(', ')} FROM ${from}`
  );
}
