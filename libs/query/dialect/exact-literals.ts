import type { Nodes } from './source-tree.js';

const FRACTION = /^\d{1,15}\.\d{1,15}$/;
const DIGITS = 15;

/** `0.06 + 0.01` is 0.07, as decimals are added, and not 0.06999999999999999, as floats are. */
export function exactSum(operator: string, left: Nodes, right: Nodes): string | undefined {
  const [a, b] = [left[0]?.text ?? '', right[0]?.text ?? ''];
  if (left.length !== 1 || right.length !== 1 || !/^[-+]$/.test(operator)) return undefined;
  if (!FRACTION.test(a) || !FRACTION.test(b)) return undefined;
  const sum = operator === '+' ? scaled(a) + scaled(b) : scaled(a) - scaled(b);
  const digits = String(sum < 0n ? -sum : sum).padStart(DIGITS + 1, '0');
  const fraction = digits.slice(-DIGITS).replace(/0+$/, '').padEnd(1, '0');
  return `${sum < 0n ? '-' : ''}${digits.slice(0, -DIGITS)}.${fraction}`;
}

function scaled(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(DIGITS, '0'));
}
