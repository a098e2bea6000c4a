import { integer, type Slow } from './slow-json.js';

const EARLIEST = BigInt(Date.UTC(1900, 0, 1)) * 1000n;
const BEYOND = BigInt(Date.UTC(2300, 0, 1)) * 1000n;

/**
 * Reads a time in microseconds since the epoch. It is null where a value stands for now, and
 * undefined where it is no time.
 */
export function slowTime(value: Slow): bigint | null | undefined {
  if (value.is === 'null') return null;
  if (value.is === 'text') {
    const micros = stored(slowTextTime(value.text));
    return micros === 0n && Number(value.text) === 0 ? null : micros;
  }
  if (value.is !== 'number') return undefined;
  const micros = stored(slowNumberTime(value.text));
  return micros === 0n ? null : micros;
}

const stored = (micros: bigint | undefined): bigint | undefined =>
  micros !== undefined && micros >= EARLIEST && micros < BEYOND ? micros : undefined;

/**
 * Finds the unit by the magnitude: above 31,536,000 thousands of the next larger unit, a number is
 * in the smaller one.
 */
export function slowNumberTime(text: string): bigint | undefined {
  // It counts in billionths, so that a fraction has its weight.
  const whole = integer(text);
  const scaled = whole === undefined ? inBillionths(text) : whole * 10n ** 9n;
  if (scaled === undefined) return undefined;
  const size = scaled < 0n ? -scaled : scaled;
  const above = (power: bigint): boolean => size > 31_536_000n * 10n ** (power + 9n);
  if (above(9n)) return whole === undefined ? rounded(scaled, 10n ** 12n) : whole / 1000n;
  if (above(6n)) return rounded(scaled, 10n ** 9n);
  return above(3n) ? rounded(scaled, 10n ** 6n) : rounded(scaled, 10n ** 3n);
}

const inBillionths = (text: string): bigint | undefined => {
  const [number = '', exponent = '0'] = text.split(/[eE]/);
  const digits = `${number}${number.includes('.') ? '' : '.'}${'0'.repeat(40)}e${Number(exponent) + 9}`;
  const exact = integer(digits);
  // Digits finer than that do not change the microsecond.
  return (
    exact ?? (Number.isFinite(Number(text)) ? BigInt(Math.round(Number(text) * 1e9)) : undefined)
  );
};

/** Rounds to the nearest, halves up. */
const rounded = (value: bigint, unit: bigint): bigint => {
  const [twice, double] = [2n * value + unit, 2n * unit];
  const quotient = twice / double;
  return twice < 0n && twice % double !== 0n ? quotient - 1n : quotient;
};

/** Reads ISO 8601, RFC 2822 and numeric texts that Date reads and the pattern admits. */
function slowTextTime(text: string): bigint | undefined {
  if (/^-?\d{1,20}(\.\d{1,20})?$/.test(text)) return slowNumberTime(text);
  const iso =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/.exec(
      text,
    );
  if (!iso) return slowMail(text);
  const [, date = '', clock = '00:00', seconds = '00', fraction = '', zone = 'Z'] = iso;
  const day = new Date(`${date}T00:00:00Z`);
  // Date would take the 31st of February for the 3rd of March.
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(date)) return undefined;
  if (clock > '23:59') return undefined;
  const offset =
    zone === 'Z' ? zone : `${zone.slice(0, 3)}:${zone.length === 3 ? '00' : zone.slice(-2)}`;
  const milliseconds = Date.parse(`${date}T${clock}:${seconds}${offset}`);
  if (Number.isNaN(milliseconds)) return undefined;
  return BigInt(milliseconds) * 1000n + BigInt(fraction.padEnd(6, '0').slice(0, 6));
}

function slowMail(text: string): bigint | undefined {
  const zone = '(?:GMT|UTC?|Z|[+-][0-9]{4})';
  const mail = new RegExp(
    `^(?:[A-Z][a-z]{2}, )?(\\d{1,2}) ([A-Z][a-z]{2}) (\\d{4}) (\\d\\d:\\d\\d(?::\\d\\d)?) (${zone})$`,
  ).exec(text);
  if (!mail) return undefined;
  const [, day = '', month = '', year = '', clock = '', name = ''] = mail;
  const number = 'JanFebMarAprMayJunJulAugSepOctNovDec'.indexOf(month) / 3 + 1;
  if (!Number.isInteger(number) || number < 1) return undefined;
  const date = `${year}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`;
  return slowTextTime(`${date}T${clock}${/^[+-]/.test(name) ? name : 'Z'}`);
}
