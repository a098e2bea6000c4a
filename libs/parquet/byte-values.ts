import type { SchemaElement } from 'hyparquet';
import { MillraceError } from '@app/platform';
import { schemaLeaves } from './schema/schema-leaves.js';

/** Says how a file has the decimals of a column: as whole numbers of so many bytes, before their point is set. */
export interface DecimalBytes {
  /** Zero: each value has its own number of them, and the engine itself refuses too many. */
  readonly bytes: number;
  /** The first byte of a value is its lowest one; else it is its highest one. */
  readonly isLowFirst: boolean;
  readonly precision: number;
  readonly scale: number;
}

/** The engine holds decimals of so many digits, at most, in so many bytes. */
const HELD: readonly (readonly [digits: number, bytes: number])[] = [
  [9, 4],
  [18, 8],
  [38, 16],
  [76, 32],
];
const WIDEST = 32;

/**
 * Tells whether decimals have more bytes than the engine holds such decimals in. It would read as
 * many bytes of each value as it needs, the first ones or those of other values, and report nothing.
 * So they are read as bytes, and become decimals by {@link decimalOfBytes}.
 */
export function areWide({ bytes, precision }: DecimalBytes): boolean {
  return bytes > (HELD.find(([digits]) => precision <= digits)?.[1] ?? 0);
}

/** @returns undefined where the element is none */
export function decimalBytes(element: SchemaElement): DecimalBytes | undefined {
  const { logical_type: logical, converted_type: converted, precision = 0, scale = 0 } = element;
  if (logical?.type !== 'DECIMAL' && converted !== 'DECIMAL') return undefined;
  const { type, type_length: length = 0 } = element;
  const isLowFirst = type === 'INT32' || type === 'INT64';
  const bytes = isLowFirst ? (type === 'INT32' ? 4 : 8) : type === 'FIXED_LEN_BYTE_ARRAY' ? length : 0; // prettier-ignore
  return { bytes, isLowFirst, precision, scale };
}

/** The decimals of a file in the order of its columns, by the paths of these. */
export function decimalColumns(
  schema: readonly SchemaElement[],
): ReadonlyMap<string, DecimalBytes> {
  const found = new Map<string, DecimalBytes>();
  for (const { path, element } of schemaLeaves(schema)) {
    const decimal = decimalBytes(element);
    if (decimal) found.set(path, decimal);
  }
  return found;
}

/** The engine's type by which such decimals are read as their bytes. */
export const bytesType = ({ bytes }: DecimalBytes): string => `FixedString(${bytes})`;

/** The engine's type of decimals that holds whatever their bytes hold. */
export const typeOfBytes = ({ bytes, scale }: DecimalBytes): string =>
  `Decimal(${HELD.find(([, held]) => bytes <= held)?.[0] ?? 0}, ${scale})`;

/**
 * SQL of the decimal that has such bytes.
 * @param value SQL of the bytes
 */
export function decimalOfBytes(value: string, decimal: DecimalBytes): string {
  const { bytes, isLowFirst } = decimal;
  const low = isLowFirst ? value : `reverse(${value})`;
  const held = HELD.find(([, width]) => bytes <= width)?.[1] ?? 0;
  // The bytes before a negative number's highest one are all ones.
  const sign = `substring(${value}, ${isLowFirst ? bytes : 1}, 1) >= unhex('80')`;
  const missing = (byte: string): string => `repeat(unhex('${byte}'), ${held - bytes})`;
  const all =
    bytes === held
      ? low
      : `toFixedString(concat(${low}, if(${sign}, ${missing('FF')}, ${missing('00')})), ${held})`;
  // Other bytes may lie below a null, and a cast looks at them.
  return `if(isNull(${value}), NULL, reinterpret(${all}, '${typeOfBytes(decimal)}'))`;
}

/**
 * @param column the name or path of a column with such decimals
 * @throws {MillraceError} where no type of the engine holds them
 */
export function refuseTooWide(column: string, { bytes }: DecimalBytes, file: string): void {
  if (bytes > WIDEST)
    throw new MillraceError(
      'MALFORMED_BODY',
      `${file}: column ${JSON.stringify(column)} has decimals of ${bytes} bytes, and ${WIDEST} are the most that are read: write it as text, or as decimals of up to 76 digits`,
    );
}

/** The engine's words for a decimal that has its own number of bytes, and too many. */
export const LONG_DECIMAL =
  /Unexpectedly wide Decimal value: (\d+) > (\d+) bytes.*column: (.+?)(?::? ?\(in file|\.?$)/s;
/** The words to say in place of these; `$1` and so on stand for what was found. */
export const LONG_DECIMAL_WORDS =
  'column "$3" has a decimal of $1 bytes, and $2 hold all its digits: write it anew, or cast it to a decimal of more digits';

/** The bytes of an interval: months, days and milliseconds, each in four of them, the lowest first. */
export const INTERVAL_BYTES = 12;

/**
 * SQL of an interval as ISO 8601 writes it, `P1M2DT3.5S`.
 * @param value SQL of its bytes
 */
export function intervalText(value: string): string {
  const [months, days, millis] = [1, 5, 9].map((at) => `reinterpretAsUInt32(substring(${value}, ${at}, 4))`) as [string, string, string]; // prettier-ignore
  const unless0 = (number: string, letter: string): string =>
    `if(${number} = 0, '', concat(toString(${number}), '${letter}'))`;
  const fraction = `if(${millis} % 1000 = 0, '', concat('.', trimRight(leftPad(toString(${millis} % 1000), 3, '0'), '0')))`;
  const seconds = `if(${millis} = 0 AND ${months} + ${days} != 0, '', concat('T', toString(intDiv(${millis}, 1000)), ${fraction}, 'S'))`;
  return `if(isNull(${value}), NULL, concat('P', ${unless0(months, 'M')}, ${unless0(days, 'D')}, ${seconds}))`;
}
