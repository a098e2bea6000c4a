import { isObject, readValueType } from '@app/streams';
import { quoteText } from '@app/warehouse';
import { convert, type Fitting } from './convert-value.sql.js';
import { plainValue } from './plain-value.sql.js';
import { isJsonArray } from './stored-value.sql.js';

const ARRAY = /^Array\(Nullable\((.+)\)\)$/;

/**
 * Tells how a field whose values are of one kind goes into a column of a type without loss.
 * @param value SQL of the field as it is spooled.
 * @param kind as `storedKind` names it; objects and what holds them are JSON text.
 */
export function fitting(value: string, kind: string, column: string): Fitting {
  if (kind === 'JSON') return object(value, column);
  if (isJsonArray(kind)) return jsonArray(value, kind, column);
  const element = ARRAY.exec(kind)?.[1];
  if (element !== undefined) return array(value, element, column);
  const exact = ARRAY.test(column) ? undefined : converted(value, kind, column);
  return exact
    ? { value: exact.value, fits: exact.fits && `ifNull(${exact.fits}, 1)` }
    : { value: nothing(column), fits: `isNull(${value})` };
}

/**
 * SQL that is true if objects in JSON text have no nested field twice. It costs as much as storing
 * them.
 */
export function nestedOnce(value: string, kind: string): string | undefined {
  const stored = (text: string): string => `isNotNull(JSONExtract(${text}, 'Nullable(JSON)'))`;
  if (kind === 'JSON') return `(isNull(${value}) OR ${stored(value)})`;
  if (kind !== 'Array(JSON)') return undefined;
  return `arrayAll(e -> ${stored('e')}, JSONExtractArrayRaw(${value}))`;
}

const nothing = (column: string): string => `defaultValueOfTypeName(${quoteText(column)})`;

function converted(value: string, kind: string, column: string): Fitting | undefined {
  const [from, to] = [readValueType(kind), readValueType(column)];
  return from && to && convert(value, from, to);
}

function array(value: string, element: string, column: string): Fitting {
  if (column === 'Array(Dynamic)') {
    const from = readValueType(element);
    const plain = from ? plainValue('e', from) : 'e';
    return { value: `CAST(${mapped(value, plain)}, 'Array(Dynamic)')`, fits: undefined };
  }
  const type = ARRAY.exec(column)?.[1];
  const each = type === undefined ? undefined : converted('e', element, type);
  if (!each) return { value: nothing(column), fits: `empty(${value})` };
  return {
    value: mapped(value, each.value),
    fits: each.fits && `arrayAll(e -> ifNull(${each.fits}, 1), ${value})`,
  };
}

/** @param each SQL over an element `e` */
export const mapped = (value: string, each: string): string =>
  each === 'e' ? value : `arrayMap(e -> ${each}, ${value})`;

function object(value: string, column: string): Fitting {
  // A column that was created before it had nulls has an object for each row.
  const text = column === 'JSON' ? `ifNull(${value}, '{}')` : value;
  return isObject(column)
    ? { value: `CAST(${text}, ${quoteText(column)})`, fits: undefined }
    : { value: nothing(column), fits: `isNull(${value})` };
}

function jsonArray(value: string, kind: string, column: string): Fitting {
  const fits = column === kind || column === 'Array(Dynamic)' ? undefined : `${value} = '[]'`;
  if (fits !== undefined) return { value: nothing(column), fits };
  // JSONExtract would take a dot in a name for a level, whatever the settings are.
  const objects = `CAST(JSONExtractArrayRaw(${value}), 'Array(JSON)')`;
  return { value: column === 'Array(JSON)' ? objects : `JSONExtract(${value}, '${column}')`, fits };
}
