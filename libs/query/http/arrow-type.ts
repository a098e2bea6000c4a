/** As Arrow's Rust library writes it in JSON, which ROAPI's clients read. */
export interface ArrowField {
  readonly name: string;
  readonly data_type: ArrowType;
  readonly nullable: boolean;
  readonly dict_id: 0;
  readonly dict_is_ordered: false;
}

export type ArrowType =
  | string
  | { readonly Timestamp: readonly [string, string | null] }
  | { readonly Decimal128: readonly [number, number] }
  | { readonly Decimal256: readonly [number, number] }
  | { readonly FixedSizeBinary: number }
  | { readonly List: ArrowField }
  | { readonly Map: readonly [ArrowField, false] }
  | { readonly Struct: readonly ArrowField[] };

const SIMPLE: readonly (readonly [RegExp, string])[] = [
  [/^U?Int(?:8|16|32|64)$/, '$&'],
  [/^Float(?:32|64)$/, '$&'],
  [/^BFloat16$/, 'Float32'],
  [/^Bool$/, 'Boolean'],
  [/^Date(?:32)?$/, 'Date32'],
  [/^Nothing$/, 'Null'],
];
/** By the digits behind the second. */
const UNITS: readonly (readonly [number, string])[] = [
  [0, 'Second'],
  [3, 'Millisecond'],
  [6, 'Microsecond'],
  [9, 'Nanosecond'],
];
const DECIMAL128_DIGITS = 38;

/** The type of the engine's type. What Arrow has no type of is answered as text. */
export function arrowType(type: string): ArrowType {
  const [, outer = type, inside = ''] = /^(\w+)\((.*)\)$/s.exec(type) ?? [];
  switch (outer) {
    case 'Nullable':
    case 'LowCardinality':
      return arrowType(inside);
    case 'Array':
      return { List: arrowField('item', inside, true) };
    case 'Tuple':
      return { Struct: parts(inside).map(element) };
    case 'Map': {
      const [key = '', value = ''] = parts(inside);
      const entry = [arrowField('keys', key), arrowField('values', value)];
      return { Map: [field('entries', { Struct: entry }, false), false] };
    }
    case 'DateTime':
    case 'DateTime64':
      return timestamp(outer === 'DateTime' ? ['0', ...parts(inside)] : parts(inside));
    case 'Decimal': {
      const [precision = 0, scale = 0] = parts(inside).map(Number);
      return precision > DECIMAL128_DIGITS
        ? { Decimal256: [precision, scale] }
        : { Decimal128: [precision, scale] };
    }
    case 'FixedString':
      return { FixedSizeBinary: Number(inside) };
    default: {
      const simple = SIMPLE.find(([pattern]) => pattern.test(type));
      return simple ? type.replace(simple[0], simple[1]) : 'Utf8';
    }
  }
}

/** @param nullable what the type says, unless given. */
export const arrowField = (
  name: string,
  type: string,
  nullable = /^(?:LowCardinality\()?Nullable\(/.test(type),
): ArrowField => field(name, arrowType(type), nullable);

export function field(name: string, type: ArrowType, nullable: boolean): ArrowField {
  return { name, data_type: type, nullable, dict_id: 0, dict_is_ordered: false };
}

function timestamp([digits = '0', zone]: readonly string[]): ArrowType {
  const [, unit = 'Nanosecond'] = UNITS.find(([most]) => Number(digits) <= most) ?? [];
  return { Timestamp: [unit, zone === undefined ? null : zone.slice(1, -1)] };
}

/** `name Type`, with the name in backquotes where it is no word; or a type alone, which is counted. */
function element(text: string, index: number): ArrowField {
  const [, quoted, word, type] = /^(?:`((?:[^`\\]|\\.)*)`|(\w+)) (.*)$/s.exec(text) ?? [];
  if (type === undefined) return arrowField(String(index + 1), text);
  return arrowField(word ?? (quoted ?? '').replace(/\\(.)/g, '$1'), type);
}

/** What stands between commas outside of brackets and quotes. */
function parts(list: string): readonly string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of list.matchAll(/`(?:[^`\\]|\\.)*`|'(?:[^'\\]|\\.)*'|[(),]/g)) {
    if (token === '(') depth += 1;
    else if (token === ')') depth -= 1;
    else if (token === ',' && depth === 0) {
      found.push(list.slice(start, index).trim());
      start = index + 1;
    }
  }
  const last = list.slice(start).trim();
  return last === '' ? found : [...found, last];
}
