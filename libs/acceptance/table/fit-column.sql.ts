import { EXACT_FLOAT } from '@app/streams';
import { isJsonArray } from './stored-value.sql.js';

/** How values of a field go into a column. */
export interface Fitting {
  /** SQL of the value, of the column's type where it fits. */
  readonly value: string;
  /** SQL that is true where it fits; undefined: everywhere. */
  readonly fits: string | undefined;
}

const INT64_MAX = '9223372036854775807';
const SCALAR = /^Nullable\((.+)\)$/;
const ARRAY = /^Array\(Nullable\((.+)\)\)$/;

/**
 * How a field whose values are of one kind goes into a column of a type without loss.
 * @param kind as `storedKind` names it; objects and what holds them are JSON text.
 */
export function fitting(value: string, kind: string, column: string): Fitting {
  if (kind === 'JSON') return object(value, column);
  if (isJsonArray(kind)) return jsonArray(value, kind, column);
  const element = ARRAY.exec(kind)?.[1];
  if (element !== undefined) return array(value, element, column);
  const type = SCALAR.exec(column)?.[1];
  const exact = type === undefined ? undefined : number(value, kind, type);
  return exact
    ? { value: exact.value, fits: exact.fits && `ifNull(${exact.fits}, 1)` }
    : { value: nothing(column), fits: `isNull(${value})` };
}

/** SQL that is true where objects in JSON text name no nested field twice: costs as much as storing them. */
export function nestedOnce(value: string, kind: string): string | undefined {
  const stored = (text: string): string => `isNotNull(JSONExtract(${text}, 'Nullable(JSON)'))`;
  if (kind === 'JSON') return stored(value);
  if (kind !== 'Array(JSON)') return undefined;
  return `arrayAll(e -> ${stored('e')}, JSONExtractArrayRaw(${value}))`;
}

const nothing = (column: string): string => `defaultValueOfTypeName('${column}')`;

function number(value: string, kind: string, type: string): Fitting | undefined {
  if (kind === type) return { value, fits: undefined };
  const cast = `accurateCastOrNull(${value}, '${type}')`;
  const whole = `${value} = floor(${value}) AND abs(${value}) <= ${EXACT_FLOAT}`;
  switch (`${kind} to ${type}`) {
    case 'Int64 to UInt64':
      return { value: cast, fits: `${value} >= 0` };
    case 'UInt64 to Int64':
      return { value: cast, fits: `${value} <= ${INT64_MAX}` };
    case 'Int64 to Float64':
      return { value: cast, fits: `${value} BETWEEN -${EXACT_FLOAT} AND ${EXACT_FLOAT}` };
    case 'UInt64 to Float64':
      return { value: cast, fits: `${value} <= ${EXACT_FLOAT}` };
    case 'Float64 to Int64':
      return { value: cast, fits: whole };
    case 'Float64 to UInt64':
      return { value: cast, fits: `${value} >= 0 AND ${whole}` };
    default:
      return undefined;
  }
}

function array(value: string, element: string, column: string): Fitting {
  if (column === 'Array(Dynamic)')
    return { value: `CAST(${value}, 'Array(Dynamic)')`, fits: undefined };
  const type = ARRAY.exec(column)?.[1];
  const each = type === undefined ? undefined : number('e', element, type);
  if (!each) return { value: nothing(column), fits: `empty(${value})` };
  if (each.fits === undefined) return { value, fits: undefined };
  return {
    value: `arrayMap(e -> ${each.value}, ${value})`,
    fits: `arrayAll(e -> ifNull(${each.fits}, 1), ${value})`,
  };
}

function object(value: string, column: string): Fitting {
  return column === 'JSON'
    ? { value: `CAST(${value}, 'JSON')`, fits: undefined }
    : { value: nothing(column), fits: '0' };
}

function jsonArray(value: string, kind: string, column: string): Fitting {
  const fits = column === kind || column === 'Array(Dynamic)' ? undefined : `${value} = '[]'`;
  return fits === undefined
    ? { value: `JSONExtract(${value}, '${column}')`, fits }
    : { value: nothing(column), fits };
}
