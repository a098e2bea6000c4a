/**
 * JSON as a tree that keeps more than JSON.parse does: numbers as they are written, and repeated
 * names.
 */
export type Slow =
  | { readonly is: 'null' | 'true' | 'false' }
  | { readonly is: 'number' | 'text'; readonly text: string }
  | { readonly is: 'array'; readonly elements: readonly Slow[] }
  | {
      readonly is: 'object';
      readonly members: readonly (readonly [string, Slow])[];
      /** Its names as they are written, without quotes. */
      readonly spelled: readonly string[];
    };

const TOKEN = /[ \t\r\n]*("(?:[^"\\]|\\.)*"|[[\]{}:,]|[^ \t\r\n[\]{}:,"]+)/gsu;
const strictly = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @returns undefined where JSON.parse takes no such text, or the bytes are no UTF-8 */
export function slowJson(bytes: Uint8Array): Slow | undefined {
  let text: string;
  try {
    text = strictly.decode(bytes);
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const tokens = Array.from(text.matchAll(TOKEN), ({ 0: all, 1: token = '', index }) => ({
    token,
    end: index + all.length,
  }));
  return tree(tokens.reverse(), text);
}

/** The map has the text that each array was read from. */
const sources = new WeakMap<Slow, string>();

/** An array as it stood in the text. */
export const sourceOf = (array: Slow): string => sources.get(array) ?? '';

interface Token {
  readonly token: string;
  readonly end: number;
}

/** @param tokens of a sound text, the first one last; what is read is taken away */
function tree(tokens: Token[], source: string): Slow {
  const { token = '', end = 0 } = tokens.pop() ?? {};
  if (token === 'null' || token === 'true' || token === 'false') return { is: token };
  if (token.startsWith('"')) return { is: 'text', text: unescaped(token) };
  if (token === '[') {
    const elements: Slow[] = [];
    let close = ends(tokens, ']');
    for (; !close; close = ends(tokens, ']')) elements.push(tree(tokens, source));
    const array = { is: 'array', elements } as const;
    sources.set(array, source.slice(end - 1, close.end));
    return array;
  }
  if (token !== '{') return { is: 'number', text: token };
  const members: [string, Slow][] = [];
  const spelled: string[] = [];
  while (!ends(tokens, '}')) {
    const name = tokens.pop()?.token ?? '';
    spelled.push(name.slice(1, -1));
    tokens.pop();
    members.push([unescaped(name), tree(tokens, source)]);
  }
  return { is: 'object', members, spelled };
}

const unescaped = (token: string): string => JSON.parse(token) as string;

/** Takes commas away, and the end when it is there. */
function ends(tokens: Token[], close: string): Token | undefined {
  if (tokens.at(-1)?.token === ',') tokens.pop();
  return tokens.at(-1)?.token === close ? tokens.pop() : undefined;
}

const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;
const UINT_MAX = 2n ** 64n - 1n;

/** The integer that a number is; undefined when it has a fraction. */
export function integer(text: string): bigint | undefined {
  const [number = '', exponent = '0'] = text.split(/[eE]/);
  const [whole = '', fraction = ''] = number.split('.');
  const power = Number(exponent) - fraction.length;
  const digits = BigInt(`${whole.replace('-', '')}${fraction}`) * (text.startsWith('-') ? -1n : 1n);
  // No test goes further, and neither should a test's memory.
  if (digits === 0n || power > 400) return digits === 0n ? 0n : undefined;
  if (power >= 0) return digits * 10n ** BigInt(power);
  return digits % 10n ** BigInt(-power) === 0n ? digits / 10n ** BigInt(-power) : undefined;
}

export const isPlain = (text: string): boolean => /^-?\d+$/.test(text);

/** Tells whether there is a number that 64 bits do not hold. */
function isBeyond(text: string): boolean {
  if (isPlain(text)) return BigInt(text) > UINT_MAX || BigInt(text) < INT_MIN;
  const value = Number(text);
  return !Number.isFinite(value) || (value === 0 && /^[^eE]*[1-9]/.test(text));
}

/** Tells whether it contains no half of a surrogate pair. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** Tells whether all of it can be stored in a record: see RFC 8259 for the rest. */
export function isWithinLimits(value: Slow, levels = 100): boolean {
  switch (value.is) {
    case 'number':
      return !isBeyond(value.text);
    case 'text':
      return isWellFormed(value.text);
    case 'array':
      return levels > 0 && value.elements.every((each) => isWithinLimits(each, levels - 1));
    case 'object':
      return (
        levels > 0 &&
        new Set(value.members.map(([name]) => name)).size === value.members.length &&
        value.members.every(
          ([name, each]) => isWellFormed(name) && isWithinLimits(each, levels - 1),
        )
      );
    default:
      return true;
  }
}

/** The engine's name for the kind of a value. */
export function slowKind(value: Slow): string {
  switch (value.is) {
    case 'null':
      return 'None';
    case 'true':
    case 'false':
      return 'Bool';
    case 'text':
      return 'String';
    case 'object':
      return 'JSON';
    case 'number':
      return kindOfNumber(value.text);
    case 'array':
      return kindOfArray(value.elements.map(slowKind));
  }
}

function kindOfNumber(text: string): string {
  const value = isZeroBelowZero(text) ? undefined : integer(text);
  if (value === undefined || value < INT_MIN || value > UINT_MAX) return 'Float64';
  return value > INT_MAX ? 'UInt64' : 'Int64';
}

/** `-0.0`, which no integer is; `-0` is written as the integer 0. */
const isZeroBelowZero = (text: string): boolean =>
  text !== '-0' && text.startsWith('-') && integer(text) === 0n;

function kindOfArray(elements: readonly string[]): string {
  const kinds = new Set(elements);
  const hadNull = kinds.delete('None');
  if (kinds.size === 0) return 'Array(Nothing)';
  const all = (...names: string[]): boolean => [...kinds].every((kind) => names.includes(kind));
  for (const name of ['Bool', 'String', 'Int64']) if (all(name)) return `Array(Nullable(${name}))`;
  if (all('Int64', 'UInt64')) return 'Array(Nullable(UInt64))';
  if (all('Int64', 'UInt64', 'Float64')) return 'Array(Nullable(Float64))';
  return all('JSON') && !hadNull ? 'Array(JSON)' : 'Array(Dynamic)';
}

/** Tells whether it is, or has, an integer that floats do not have. */
export function hasBeyondFloat(value: Slow): boolean {
  if (value.is === 'array') return value.elements.some(hasBeyondFloat);
  if (value.is === 'object') return value.members.some(([, each]) => hasBeyondFloat(each));
  if (value.is !== 'number' || kindOfNumber(value.text) === 'Float64') return false;
  const number = integer(value.text) ?? 0n;
  return number > 2n ** 53n || number < -(2n ** 53n);
}
