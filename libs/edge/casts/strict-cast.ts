import { quoteText, withoutNull } from '@app/warehouse';
import { exactCast } from './exact-cast.js';

interface Cast {
  /** The engine's types, without `Nullable`. */
  readonly from: string;
  readonly to: string;
  /** The type to cast to, with `Nullable` if that is so. */
  readonly served: string;
  /** The column, for the message. */
  readonly about: string;
}

const LIST = /^Array\((.*)\)$/s;
const PLAIN = /^(?:U?Int|Float|Decimal|Date|Bool|UUID)/;

/**
 * Casts a value of a database to a declared type, and fails if that is another value then. The
 * engine's own cast makes null of a text that is no number, 1.23 of 1.239, and 2299 of the year 3000.
 * @param value SQL
 */
export function strictCast(value: string, { from, to, served, about }: Cast): string {
  const cast = `CAST(${value}, ${quoteText(served)})`;
  const [ofOther, ofOwn] = [LIST.exec(from)?.[1], LIST.exec(to)?.[1]];
  if (ofOther !== undefined && ofOwn !== undefined) {
    const items = { from: withoutNull(ofOther), to: withoutNull(ofOwn), served: ofOwn, about };
    return from === to ? cast : `arrayMap(item -> ${strictCast('item', items)}, ${value})`;
  }
  if (from === to || !PLAIN.test(to)) return cast;
  if (from !== 'String')
    return PLAIN.test(from) ? exactCast(value, { from, to: served, about }) : cast;
  const made = `accurateCastOrNull(${value}, ${quoteText(to)})`;
  const isKept = `ifNull(${keeps(value, made, to)}, ${value} IS NULL)`;
  const message = `column ${JSON.stringify(about)} has a value that its type, ${to}, does not hold`;
  return `if(throwIf(NOT ${isKept}, ${quoteText(message)}) = 0, CAST(${made}, ${quoteText(served)}), defaultValueOfTypeName(${quoteText(served)}))`;
}

/** SQL that tells whether the text is what was made of it; null if nothing was made. */
function keeps(value: string, made: string, type: string): string {
  const isMade = `if(isNull(${made}), NULL, `;
  const [, precision, scale] = /^Decimal\((\d+), (\d+)\)$/.exec(type) ?? [];
  if (precision !== undefined && scale !== undefined) {
    const whole = Number(precision) - Number(scale);
    const pattern = String.raw`^[+-]?0*[0-9]{0,${whole}}(?:\.[0-9]{0,${scale}}0*)?$`;
    return `${isMade}match(${value}, ${quoteText(pattern)}))`;
  }
  if (type.startsWith('Float'))
    return `${isMade}NOT isInfinite(${made}) OR ${value} ILIKE '%inf%')`;
  if (type.startsWith('DateTime64')) {
    const digits = /^DateTime64\((\d)/.exec(type)?.[1] ?? '0';
    const pattern = String.raw`^.{10}[ T].{8}(?:\.[0-9]{0,${digits}}0*)?Z?$`;
    const clock = (text: string): string => `replaceOne(substring(${text}, 1, 19), 'T', ' ')`;
    return `${isMade}match(${value}, ${quoteText(pattern)}) AND ${clock(value)} = ${clock(`toString(${made})`)})`;
  }
  if (type.startsWith('Date')) return `${isMade}toString(${made}) = ${value})`;
  return `${isMade}true)`;
}
