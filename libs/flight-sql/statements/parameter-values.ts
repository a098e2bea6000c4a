import { isUtf8 } from 'node:buffer';
import type * as Arrow from 'apache-arrow';
import type { EngineValue } from './engine-value.js';
import { unfit } from '../unfit.js';
import { clockText, dayText, decimalText, momentText } from './value-texts.js';

/** Digits of a second, by Arrow's units. */
const DIGITS = [0, 3, 6, 9] as const;

/** The values of a row, as the engine takes them; undefined: null. @throws {MillraceError} INVALID_PARAMETER */
export async function parameterValues(
  row: Arrow.RecordBatch,
): Promise<readonly (EngineValue | undefined)[]> {
  const arrow = await import('apache-arrow');
  const fields: readonly Arrow.Field<Arrow.DataType>[] = row.schema.fields;
  return fields.map(({ name, type }, at) => {
    const column = row.getChildAt(at);
    const value: unknown = column?.get(0);
    if (!column || value === null || value === undefined) return undefined;
    const engineValue = valueOf(arrow, type, value, column);
    if (engineValue) return engineValue;
    throw unfit(
      `value ${JSON.stringify(name)}: ${arrow.Type[type.typeId]} is not taken; bind a number, a text, a boolean, a date, a time, or a text of UTF-8 as bytes`,
    );
  });
}

function valueOf(
  { DataType: types, Precision }: typeof Arrow,
  type: Arrow.DataType,
  value: unknown,
  column: Arrow.Vector,
): EngineValue | undefined {
  if (types.isInt(type)) return { type: `${type.isSigned ? '' : 'U'}Int${type.bitWidth}`, text: String(value) }; // prettier-ignore
  if (types.isFloat(type)) return { type: type.precision === Precision.DOUBLE ? 'Float64' : 'Float32', text: floatText(Number(value)) }; // prettier-ignore
  if (types.isBool(type)) return { type: 'Bool', text: String(value) };
  if (types.isUtf8(type) || types.isLargeUtf8(type)) return { type: 'String', text: String(value) };
  if (types.isBinary(type) || types.isLargeBinary(type)) return bytesValue(value as Uint8Array);
  if (types.isDecimal(type)) {
    const { precision, scale } = type;
    const text = scale < 0 ? undefined : decimalText(value as Uint32Array, scale);
    return text === undefined ? undefined : { type: `Decimal(${precision}, ${scale})`, text };
  }
  if (types.isDate(type)) return { type: 'Date32', text: dayText(Number(value)) };
  const [raw] = (column.data[0]?.values ?? []) as ArrayLike<bigint | number> as (bigint | number)[];
  if (raw === undefined) return undefined;
  if (types.isTime(type)) {
    const digits = DIGITS[type.unit];
    return { type: `Time64(${digits})`, text: clockText(BigInt(raw), digits) };
  }
  if (!types.isTimestamp(type)) return undefined;
  const digits = DIGITS[type.unit];
  const zone = type.timezone ? ", 'UTC'" : '';
  return { type: `DateTime64(${digits}${zone})`, text: momentText(BigInt(raw), digits) };
}

function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  return Number.isFinite(value) ? String(value) : value > 0 ? 'inf' : '-inf';
}

function bytesValue(bytes: Uint8Array): EngineValue | undefined {
  if (!isUtf8(bytes)) return undefined;
  return { type: 'String', text: Buffer.from(bytes).toString('utf8') };
}
