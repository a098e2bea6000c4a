const DIGITS = 4;
const BASE = 10_000;
const [NEGATIVE, NOT_A_NUMBER] = [0x4000, 0xc000];
const HEAD_BYTES = 8;

/** A decimal as PostgreSQL sends it: groups of four digits, and where the point is among them. */
export function numericBinary(text: string): Buffer {
  const [, sign = '', whole = '0', fraction = ''] = /^([+-]?)(\d+)(?:\.(\d*))?$/.exec(text) ?? [];
  const left = whole.padStart(Math.ceil(whole.length / DIGITS) * DIGITS, '0');
  const right = fraction.padEnd(Math.ceil(fraction.length / DIGITS) * DIGITS, '0');
  let groups = (left + right).match(/\d{4}/g)?.map(Number) ?? [];
  let weight = left.length / DIGITS - 1;
  const first = groups.findIndex((group) => group !== 0);
  if (first === -1) [groups, weight] = [[], 0];
  else [groups, weight] = [groups.slice(first), weight - first];
  while (groups.at(-1) === 0) groups.pop();
  const bytes = Buffer.alloc(HEAD_BYTES + groups.length * 2);
  bytes.writeInt16BE(groups.length, 0);
  bytes.writeInt16BE(weight, 2);
  bytes.writeUInt16BE(sign === '-' && groups.length > 0 ? NEGATIVE : 0, 4);
  bytes.writeInt16BE(fraction.length, 6);
  groups.forEach((group, at) => bytes.writeInt16BE(group, HEAD_BYTES + at * 2));
  return bytes;
}

/** @returns the number's text; undefined where the bytes are no number. */
export function numericText(bytes: Buffer): string | undefined {
  if (bytes.length < HEAD_BYTES) return undefined;
  const [count, weight, sign, scale] = [bytes.readUInt16BE(0), bytes.readInt16BE(2), bytes.readUInt16BE(4), bytes.readUInt16BE(6)]; // prettier-ignore
  if (sign === NOT_A_NUMBER) return 'NaN';
  if ((sign !== 0 && sign !== NEGATIVE) || bytes.length !== HEAD_BYTES + count * 2)
    return undefined;
  // No decimal of the engine is longer. Groups that are not sent are zeros.
  if (Math.abs(weight) > 40 || scale > 100) return undefined;
  const group = (place: number): string => {
    const at = weight - place;
    const value = at >= 0 && at < count ? bytes.readUInt16BE(HEAD_BYTES + at * 2) : 0;
    return value < BASE ? String(value).padStart(DIGITS, '0') : 'x';
  };
  let whole = '';
  for (let place = Math.max(weight, 0); place >= 0; place -= 1) whole += group(place);
  let fraction = '';
  for (let place = -1; fraction.length < scale; place -= 1) fraction += group(place);
  const text = `${sign === NEGATIVE ? '-' : ''}${whole.replace(/^0+(?=\d)/, '')}${scale > 0 ? `.${fraction.slice(0, scale)}` : ''}`;
  return text.includes('x') ? undefined : text;
}
