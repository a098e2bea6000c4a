import { MillraceError } from '@app/platform';
import { quoteIdentifier } from '@app/warehouse';
import { castOf, type Placeholder, type SpelledStatement } from './spell-out.js';

/** Of `{name:Type}` placeholders, as text in the engine's own notation. */
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
      typeof piece === 'string' ? piece : castOf(valueOf(piece, values), piece.type),
    )
    .join('');
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
