import type { RequestOrganization } from '@app/platform';
import { quoteText } from '@app/warehouse';
import type { Token } from '../../search/statement-tokens.js';

/** The engine's words about itself, as SQL. */
export interface EngineWords {
  readonly version: string;
  readonly revision: string;
}

export interface SessionWords {
  readonly organization: RequestOrganization;
  /** E-mail of the account, or what names the token. */
  readonly user: string;
  readonly engine: EngineWords;
}

/** The name of every server of ours, because nobody is told where it runs. */
const SERVER_NAME = 'millrace';

/** SQL of what the call at this place, without arguments, tells of the session; undefined: it is no such call. */
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

/** Tells whether the column is called as the call: in a select list, without an alias. */
export function needsName(tokens: readonly Token[], at: number): boolean {
  const [before, behind] = [tokens[at - 1], tokens[at + 3]];
  const isFirst = before?.text === ',' || /^(?:SELECT|DISTINCT)$/i.test(before?.text ?? '');
  const isLast =
    behind === undefined || behind.text === ',' || /^(?:FROM|LIMIT)$/i.test(behind.text);
  return isFirst && isLast && tokens[at]?.depth === 0;
}
