/**
 * Quotes a name for the engine. Every identifier that is not a literal of ours must be quoted here.
 */
export function quoteIdentifier(name: string): string {
  return '`' + name.replace(/[\\`]/g, (character) => `\\${character}`) + '`';
}

/** Quotes a text literal for the engine; for values that cannot be bound, such as file paths and type lists. */
export function quoteText(text: string): string {
  return `'${text.replace(/[\\']/g, (character) => `\\${character}`)}'`;
}
