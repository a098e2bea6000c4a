import { MillraceError } from '@app/platform';
import { authorTokens } from '../../dialect/author-tokens.js';

/**
 * Reads `USE name`, with which a client says where it is.
 * @returns undefined for any other statement
 * @throws {MillraceError} STATEMENT_REFUSED for SET: no statement after it would have the setting
 */
export function usedDatabase(statement: string): string | undefined {
  if (!/^\s*(?:USE|SET)\s/i.test(statement)) return undefined;
  const [verb, ...rest] = authorTokens(statement) ?? [];
  const [name, end] = rest.filter(({ text }) => text !== ';');
  if (/^use$/i.test(verb?.text ?? ''))
    return end || !name || !/^(?:name|word)$/.test(name.kind) ? undefined : name.value;
  throw new MillraceError(
    'STATEMENT_REFUSED',
    `a statement keeps nothing for the next one, so SET has no meaning here: send settings with each statement, behind it (SELECT … SETTINGS max_threads = 1) or in the address (&max_threads=1); SELECT name FROM system.settings lists those that are taken`,
  );
}
