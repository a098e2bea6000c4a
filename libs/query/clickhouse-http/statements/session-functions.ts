import type { RequestOrganization } from '@app/platform';
import { quoteText } from '@app/warehouse';
import type { Token } from '../../search/statement-tokens.js';

/** The engine's functions about itself, with the SQL that replaces them. */
export interface EngineWords {
  readonly version: string;
  readonly revision: string;
}

export interface SessionWords {
  readonly organization: RequestOrganization;
  /** The account's e-mail, or the token's name. */
  readonly user: string;
  readonly engine: EngineWords;
}

/** Every server of ours has this name, because clients must not learn where it runs. */
const SERVER_NAME = 'millrace';

/**
 * The SQL that replaces the call without arguments at this place; undefined: it is no such call.
 */
export function sessionFunction(
  tokens: readonly Token[],
  at: number,
  { engine, organization, user }: SessionWords,
): string | undefined {
  const [name, open, close] = tokens.slice(at, at + 3);
  if (name?.kind !== 'word' || open?.text !== '(' || close?.text !== ')') return undefined;
  if (tokens[at - 1]?.text === '.') return undefined;
  switch (name.text.toLowerCase()) {
    case 'version':
      return engine.version;
    case 'revision':
      return engine.revision;
    case 'displayname':
    case 'hostname':
      return quoteText(SERVER_NAME);
    case 'currentdatabase':
    case 'current_database':
    case 'database':
    case 'schema':
      return quoteText(organization.name);
    case 'currentuser':
    case 'current_user':
    case 'user':
      return quoteText(user);
    default:
      return undefined;
  }
}

/** Tells whether the column is named after the call: in a select list, without an alias. */
export function needsName(tokens: readonly Token[], at: number): boolean {
  const [before, behind] = [tokens[at - 1], tokens[at + 3]];
  const isFirst = before?.text === ',' || /^(?:SELECT|DISTINCT)$/i.test(before?.text ?? '');
  const isLast =
    behind === undefined || behind.text === ',' || /^(?:FROM|LIMIT)$/i.test(behind.text);
  return isFirst && isLast && tokens[at]?.depth === 0;
}
