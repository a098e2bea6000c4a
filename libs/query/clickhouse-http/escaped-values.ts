import type { Values } from '../guard/bind-values.js';

const PLACEHOLDER = /\{\s*(\w+)\s*:\s*(\w+)/g;
/** Values of these types have quotes within, and escapes of their own. */
const OF_MANY = /^(?:Array|Tuple|Map|Nested)$/;
const ESCAPE = /((?:\\x[\da-fA-F]{2})+)|\\([^])/g;
const CONTROLS: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', e: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', 0: '\0' },
};
/** Signs that a backslash may stand before for nothing. */
const PLAIN = /^[\\'"`/=]$/;

/**
 * The values of a request as they are meant: its clients write a backslash as two, and a tab as
 * `\t`, since ClickHouse reads `param_<name>` as a field of TabSeparated.
 */
export function withoutEscapes(statement: string, values: Values): Values {
  if (!Object.values(values).some((value) => value.includes('\\'))) return values;
  const ofMany = new Set<string>();
  for (const [, name = '', type = ''] of statement.matchAll(PLACEHOLDER))
    if (OF_MANY.test(type)) ofMany.add(name);
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, ofMany.has(name) ? value : unescaped(value)]), // prettier-ignore
  );
}

const unescaped = (value: string): string =>
  value.replace(ESCAPE, (whole, hex: string | undefined, letter: string) => {
    if (hex !== undefined) return Buffer.from(hex.replace(/\\x/g, ''), 'hex').toString('utf8');
    return CONTROLS[letter] ?? (PLAIN.test(letter) ? letter : whole);
  });
