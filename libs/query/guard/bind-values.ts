import { MillraceError } from '@app/platform';
import { quoteIdentifier } from '@app/warehouse';
import { readTime } from '../plan/read-time.js';
import { castOf, type Placeholder, type SpelledStatement } from './spell-out.js';

/** The values of `{name:Type}` placeholders, as text in the engine's own notation. */
export type Values = Readonly<Record<string, string>>;

const IDENTIFIER = 'Identifier';

/**
 * Puts names in place of `{name:Identifier}`; the result is another statement, to be examined.
 * @returns undefined when the statement has no such placeholder.
 */
export function nameIdentifiers({ pieces }: SpelledStatement, values: Values): string | undefined {
  if (!pieces.some((piece) => typeof piece !== 'string' && piece.type === IDENTIFIER))
    return undefined;
  return pieces
    .map((piece) => {
      if (typeof piece === 'string') return piece;
      if (piece.type === IDENTIFIER) return quoteIdentifier(valueOf(piece, values));
      return `{${piece.name}:${piece.type}}`;
    })
    .join('');
}

/** Puts values in place of their placeholders, each as a text literal that the engine casts. */
export function bindValues({ pieces }: SpelledStatement, values: Values): string {
  return pieces
    .map((piece) =>
      typeof piece === 'string'
        ? piece
        : castOf(fitting(piece, valueOf(piece, values)), piece.type),
    )
    .join('');
}

const INTEGER = /^(?:Nullable\()?(U?)Int(8|16|32|64)\)?$/;
const DATE = /^(?:Nullable\()?Date(?:32)?\)?$/;

/** The engine takes 300 for 44 where 8 bits are asked for, and 30 February for 1 March. */
function fitting({ name, type }: Placeholder, value: string): string {
  const [, unsigned, bits] = INTEGER.exec(type) ?? [];
  if (bits !== undefined && /^[+-]?\d+$/.test(value)) {
    const size = 2n ** BigInt(bits);
    const least = unsigned === 'U' ? 0n : -size / 2n;
    const number = BigInt(value.replace(/^\+/, ''));
    if (number < least || number >= least + size) throw beyond(name, type, value);
  }
  const isDay = /^\d{4}-\d\d-\d\d$/.test(value);
  if (DATE.test(type) && isDay && readTime(value) === undefined) throw beyond(name, type, value);
  return value;
}

function beyond(name: string, type: string, value: string): MillraceError {
  return new MillraceError(
    'INVALID_PARAMETER',
    `param_${name}: ${JSON.stringify(value.slice(0, 40))} is no ${type}`,
  );
}

function valueOf({ name, type }: Placeholder, values: Values): string {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined) {
    throw new MillraceError(
      'INVALID_PARAMETER',
      `the statement's {${name}:${type}} has no value; send it as param_${name}`,
    );
  }
  return value;
}
