import { MillraceError, type RequestOrganization } from '@app/platform';
import { quoteText } from '@app/warehouse';
import type { Catalog } from '../catalog.js';
import { authorTokens } from '../dialect/author-tokens.js';
import { isName, type Token } from '../search/tokens.js';
import { DATABASE_COLUMN, isSystemTable, systemRows } from './system-rows.js';

/** Who asks, and what may be told of the server. */
export interface Session {
  readonly catalog: Catalog;
  readonly organization: RequestOrganization;
  /** E-mail of the account, or what names the token. */
  readonly user: string;
  /** Of the engine. */
  readonly version: string;
}

/** Behind one of these stands a table, or another clause begins: in either case no alias. */
const CLAUSES =
  /^(?:WHERE|PREWHERE|GROUP|ORDER|HAVING|LIMIT|OFFSET|SETTINGS|FORMAT|UNION|INTERSECT|EXCEPT|JOIN|INNER|LEFT|RIGHT|FULL|CROSS|ANY|ALL|ASOF|SEMI|ANTI|GLOBAL|PASTE|ARRAY|ON|USING|FINAL|SAMPLE|WINDOW|QUALIFY|FETCH|WITH)$/i;
const BEFORE_TABLE = /^(?:FROM|JOIN|TABLE|EXISTS|DESC|DESCRIBE)$/i;

/**
 * A statement for ClickHouse as one for Millrace: an organization is the database of its name, the
 * tables of `system` hold what it has, and what asks for the session is told of this one.
 * @throws {MillraceError} STREAM_NOT_FOUND for another database
 */
export function inMillraceWords(statement: string, session: Session): string {
  const text = catalogStatement(statement, session) ?? statement;
  const tokens = authorTokens(text);
  if (!tokens) return text;
  const pieces: string[] = [];
  let copied = 0;
  const replace = (from: Token, to: Token, by: string): void => {
    pieces.push(text.slice(copied, from.start), by);
    copied = to.end;
  };
  for (let at = 0; at < tokens.length; at += 1) {
    const [first, second, third] = [tokens[at], tokens[at + 1], tokens[at + 2]];
    if (!first) break;
    const known = sessionFunction(tokens, at, session);
    if (known !== undefined && third) {
      replace(first, third, quoteText(known) + (needsName(tokens, at) ? ` AS "${first.text}()"` : '')); // prettier-ignore
      at += 2;
    } else if (isDatabaseColumn(tokens, at)) {
      const name = isSelected(tokens, at) ? ` AS "${first.value}"` : '';
      replace(first, first, `${DATABASE_COLUMN}${name}`);
    } else if (isQualified(tokens, at) && third) {
      const alias = isAliased(tokens[at + 3]) ? '' : ` AS ${third.text}`;
      if (first.value === 'system' && isSystemTable(third.value))
        replace(first, third, systemRows(third.value, session.catalog, session.organization) + alias); // prettier-ignore
      else if (first.value === session.organization.name && second) replace(first, second, '');
      at += 2;
    }
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(copied);
}

/** `a.b` where a table is named. */
function isQualified(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  const isFirst = before?.kind === 'word' && BEFORE_TABLE.test(before.text);
  const isListed = before?.text === ',' && inFrom(tokens, at);
  return (
    (isFirst || isListed) &&
    isName(tokens[at]) &&
    tokens[at + 1]?.text === '.' &&
    isName(tokens[at + 2])
  );
}

/** Whether a comma is one between tables: FROM is the clause's word. */
function inFrom(tokens: readonly Token[], at: number): boolean {
  const depth = tokens[at]?.depth;
  for (let back = at - 1; back >= 0; back -= 1) {
    const token = tokens[back];
    if (!token || token.depth < (depth ?? 0)) return false;
    if (token.kind !== 'word' || token.depth !== depth) continue;
    if (/^FROM$/i.test(token.text)) return true;
    if (/^SELECT$/i.test(token.text) || CLAUSES.test(token.text)) return false;
  }
  return false;
}

function isAliased(next: Token | undefined): boolean {
  return isName(next) && (next.kind === 'name' || !CLAUSES.test(next.text));
}

/** Where a table of `system` is asked: the guard lets nobody ask for a column of this name, which would tell the database's own. */
function isDatabaseColumn(tokens: readonly Token[], at: number): boolean {
  const [token, next] = [tokens[at], tokens[at + 1]];
  if (!isName(token) || token.value !== 'database' || next?.text === '(' || next?.text === '.')
    return false;
  if (/^AS$/i.test(tokens[at - 1]?.text ?? '')) return false;
  return tokens.some(({ value }, index) => value === 'system' && tokens[index + 1]?.text === '.');
}

/** Whether it is a column of a select list, without an alias. */
function isSelected(tokens: readonly Token[], at: number): boolean {
  const depth = tokens[at]?.depth;
  const next = tokens[at + 1];
  if (next !== undefined && next.text !== ',' && next.text !== ')' && !/^FROM$/i.test(next.text))
    return false;
  for (let back = at - 1; back >= 0; back -= 1) {
    const token = tokens[back];
    if (!token || token.depth < (depth ?? 0)) return false;
    if (token.kind !== 'word' || token.depth !== depth) continue;
    if (/^SELECT$/i.test(token.text)) return true;
    if (/^FROM$/i.test(token.text) || CLAUSES.test(token.text)) return false;
  }
  return false;
}

/** What a call without arguments tells of the session. */
function sessionFunction(
  tokens: readonly Token[],
  at: number,
  session: Session,
): string | undefined {
  // prettier-ignore
  const [name, open, close] = tokens.slice(at, at + 3);
  if (name?.kind !== 'word' || open?.text !== '(' || close?.text !== ')') return undefined;
  if (tokens[at - 1]?.text === '.') return undefined;
  switch (name.text.toLowerCase()) {
    case 'version':
      return session.version;
    case 'currentdatabase':
    case 'current_database':
    case 'database':
    case 'schema':
      return session.organization.name;
    case 'currentuser':
    case 'current_user':
    case 'user':
      return session.user;
    default:
      return undefined;
  }
}

/** In a select list, without an alias: the column is called as the call. */
function needsName(tokens: readonly Token[], at: number): boolean {
  const [before, behind] = [tokens[at - 1], tokens[at + 3]];
  const isFirst = before?.text === ',' || /^(?:SELECT|DISTINCT)$/i.test(before?.text ?? '');
  const isLast =
    behind === undefined || behind.text === ',' || /^(?:FROM|LIMIT)$/i.test(behind.text);
  return isFirst && isLast && tokens[at]?.depth === 0;
}

const DESCRIPTION =
  "name, type, '' AS default_type, '' AS default_expression, comment, '' AS codec_expression, '' AS ttl_expression";

/** SHOW and DESCRIBE with the columns that ClickHouse gives them. */
function catalogStatement(text: string, { organization, catalog }: Session): string | undefined {
  const tokens = authorTokens(text);
  if (!tokens || !/^(?:SHOW|DESC|DESCRIBE|EXISTS)$/i.test(tokens[0]?.text ?? '')) return undefined;
  const words = tokens.map(({ text: word }) => word.toUpperCase());
  if (words.join(' ') === 'SHOW DATABASES')
    return 'SELECT name FROM system.databases ORDER BY name';
  if (words[0] === 'SHOW' && words[1] === 'TABLES')
    return showTables(tokens.slice(2), organization);
  const of = tokens.slice(words[1] === 'TABLE' ? 2 : 1);
  const table = of.length === 3 && of[1]?.text === '.' ? of[2] : of[0];
  if ((of.length !== 1 && of.length !== 3) || !isName(table) || words[0] === 'SHOW')
    return undefined;
  if (of.length === 3) checkDatabase(of[0]?.value ?? '', organization);
  const found = catalog.table(organization, table.value) !== undefined;
  if (words[0] === 'EXISTS') return `SELECT toUInt8(${found ? 1 : 0}) AS result`;
  // One that is not there is told of by who describes tables anyway.
  if (!found) return `DESCRIBE ${table.text}`;
  const columns = systemRows('columns', catalog, organization, table.value);
  return `SELECT ${DESCRIPTION} FROM ${columns} ORDER BY position`;
}

function showTables(rest: readonly Token[], organization: RequestOrganization): string | undefined {
  let left = rest;
  if (/^(?:FROM|IN)$/i.test(left[0]?.text ?? '') && isName(left[1])) {
    checkDatabase(left[1].value, organization);
    left = left.slice(2);
  }
  const [like, pattern] = left;
  const select = 'SELECT name FROM system.tables';
  if (!like) return `${select} ORDER BY name`;
  if (left.length !== 2 || !/^I?LIKE$/i.test(like.text) || pattern?.kind !== 'text')
    return undefined;
  return `${select} WHERE name ${like.text} ${pattern.text} ORDER BY name`;
}

/** @throws {MillraceError} STREAM_NOT_FOUND */
export function checkDatabase(name: string, organization: RequestOrganization): void {
  if (name === organization.name) return;
  throw new MillraceError(
    'STREAM_NOT_FOUND',
    `there is no database ${JSON.stringify(name.slice(0, 80))} here: the organization's name is the one, ${organization.name}`,
  );
}
