import { MillraceError, type RequestOrganization } from '@app/platform';
import type { Column } from '@app/warehouse';
import type { Catalog } from '../../catalog.js';
import { authorTokens } from '../../dialect/author-tokens.js';
import { rowsOf } from '../../dialect/catalog/catalog-statements.js';
import { isName, type Token } from '../../search/statement-tokens.js';
import { beginsClause, clausesOf, type Clause } from '../inserts/insert-clauses.js';
import { STATEMENT_BYTES_MAX } from '../../guard/limits.js';
import { asText } from '../../plan/binary-values.js';
import { needsName, sessionFunction, type SessionWords } from './session-functions.js';
import { DATABASE_COLUMN, isSystemTable, systemRows } from './system-rows.js';

const SYSTEM = 'system';

/** The caller, and the facts about the server that clients may learn. */
export interface Session extends SessionWords {
  readonly catalog: Catalog;
  /** Tells whether the caller may query a database with this name. */
  readonly hasDatabase: (name: string) => boolean;
}

const BEFORE_TABLE = /^(?:FROM|JOIN|TABLE|EXISTS|DESC|DESCRIBE)$/i;

/**
 * Translates a statement for ClickHouse into one for Millrace. An organization is the database of
 * its name, the tables of `system` list its tables, and functions about the session answer about
 * this session.
 * @throws {MillraceError} STREAM_NOT_FOUND for another database, INVALID_SQL, RESULT_TOO_LARGE
 */
export function inMillraceWords(statement: string, session: Session): string {
  const text = catalogStatement(statement, session) ?? statement;
  const tokens = authorTokens(text);
  return tokens ? new Rewriting(text, tokens, session).done() : text;
}

/** Reads its tokens only once, because a statement may have many. */
class Rewriting {
  private readonly pieces: string[] = [];
  private length = 0;
  private copied = 0;
  private readonly clauses: readonly Clause[];
  /** The names that the tables of `system` have in the statement. */
  private readonly aliases = new Map<string, string>();
  private readonly rows = new Map<string, string>();

  constructor(
    private readonly text: string,
    private readonly tokens: readonly Token[],
    private readonly session: Session,
  ) {
    this.clauses = clausesOf(tokens);
    for (const [at, { value }] of tokens.entries())
      if (value === SYSTEM && this.isTable(at)) this.nameSystemTable(at);
  }

  done(): string {
    const { tokens, session } = this;
    for (let at = 0; at < tokens.length; at += 1) {
      const [first, second, third] = [tokens[at], tokens[at + 1], tokens[at + 2]];
      if (!first) break;
      const known = sessionFunction(tokens, at, session);
      if (known !== undefined && third) {
        const name = needsName(tokens, at) ? ` AS "${first.text}()"` : '';
        this.replace(first, third, known + name);
        at += 2;
      } else if (this.isDatabaseColumn(at)) {
        const name = this.isSelected(at) ? ` AS "${first.value}"` : '';
        this.replace(first, first, `${DATABASE_COLUMN}${name}`);
      } else if (this.isTable(at) && second && third) {
        if (first.value === SYSTEM && isSystemTable(third.value))
          this.replace(first, third, this.systemTable(at, third));
        else if (first.value === session.organization.name) this.replace(first, second, '');
        at += 2;
      } else if (first.value === SYSTEM && second?.text === '.' && third) {
        const alias = this.aliases.get(third.value);
        if (alias === undefined || tokens[at + 3]?.text !== '.') continue;
        this.replace(first, third, alias);
        at += 2;
      }
    }
    return this.pieces.length === 0 ? this.text : this.pieces.join('') + this.text.slice(this.copied); // prettier-ignore
  }

  /** @throws {MillraceError} INVALID_SQL where the statement grows beyond what one may be */
  private replace(from: Token, to: Token, by: string): void {
    this.pieces.push(this.text.slice(this.copied, from.start), by);
    this.copied = to.end;
    this.length += by.length;
    if (this.length > STATEMENT_BYTES_MAX)
      throw new MillraceError(
        'INVALID_SQL',
        'the statement names tables of system more often than it can be answered; name each once',
      );
  }

  /** Rewrites `a.b` at the place of a table. */
  private isTable(at: number): boolean {
    const { tokens } = this;
    const before = tokens[at - 1];
    const isFirst = before?.kind === 'word' && BEFORE_TABLE.test(before.text);
    const isListed = before?.text === ',' && this.clauses[at - 1] === 'from';
    return (
      (isFirst || isListed) &&
      isName(tokens[at]) &&
      tokens[at + 1]?.text === '.' &&
      isName(tokens[at + 2])
    );
  }

  private nameSystemTable(at: number): void {
    const [table, next, alias] = this.tokens.slice(at + 2, at + 5);
    if (!table || this.aliases.has(table.value)) return;
    const own = /^AS$/i.test(next?.text ?? '') ? alias : isAlias(next) ? next : undefined;
    this.aliases.set(table.value, (own ?? table).text);
  }

  private systemTable(at: number, table: Token): string {
    const { catalog, organization } = this.session;
    const rows = this.rows.get(table.value) ?? systemRows(table.value, catalog, organization);
    this.rows.set(table.value, rows);
    return isAlias(this.tokens[at + 3]) ? rows : `${rows} AS ${table.text}`;
  }

  /**
   * For a table of `system`, the guard refuses a column with this name, because it would reveal the
   * database's own name.
   */
  private isDatabaseColumn(at: number): boolean {
    const [token, next] = [this.tokens[at], this.tokens[at + 1]];
    if (this.aliases.size === 0 || !isName(token) || token.value !== 'database') return false;
    const isOther = next?.text === '(' || next?.text === '.';
    return !isOther && !/^AS$/i.test(this.tokens[at - 1]?.text ?? '');
  }

  /** True for a column of a select list, without an alias. */
  private isSelected(at: number): boolean {
    const next = this.tokens[at + 1];
    const isLast =
      next === undefined || next.text === ',' || next.text === ')' || /^FROM$/i.test(next.text);
    return isLast && this.clauses[at] === 'select';
  }
}

const isAlias = (next: Token | undefined): boolean =>
  isName(next) && (next.kind === 'name' || !beginsClause(next.text));

const DESCRIPTION =
  "name, type, '' AS default_type, '' AS default_expression, comment, '' AS codec_expression, '' AS ttl_expression";

/** A SELECT of the names and types of a statement's columns, as ClickHouse answers DESCRIBE. */
export function describedColumns(columns: readonly Column[]): string {
  const rows = columns.map(({ name, type }) => [name, asText(type), '']);
  return `SELECT ${DESCRIPTION} FROM (${rowsOf(['name', 'type', 'comment'], rows)})`;
}

/** Rewrites SHOW and DESCRIBE to a SELECT with the columns that ClickHouse returns. */
function catalogStatement(text: string, session: Session): string | undefined {
  const { organization, catalog } = session;
  const tokens = authorTokens(text);
  if (!tokens || !/^(?:SHOW|DESC|DESCRIBE|EXISTS)$/i.test(tokens[0]?.text ?? '')) return undefined;
  const words = tokens.map(({ text: word }) => word.toUpperCase());
  if (words.join(' ') === 'SHOW DATABASES')
    return 'SELECT name FROM system.databases ORDER BY name';
  if (words[0] === 'SHOW' && words[1] === 'TABLES')
    return showTables(tokens.slice(2), organization);
  if (words[0] === 'EXISTS' && words[1] === 'DATABASE' && words.length === 3)
    return `SELECT toUInt8(${session.hasDatabase(tokens[2]?.value ?? '') ? 1 : 0}) AS result`;
  const of = tokens.slice(words[1] === 'TABLE' ? 2 : 1);
  const table = of.length === 3 && of[1]?.text === '.' ? of[2] : of[0];
  if ((of.length !== 1 && of.length !== 3) || !isName(table) || words[0] === 'SHOW')
    return undefined;
  if (of.length === 3) checkDatabase(of[0]?.value ?? '', organization);
  const found = catalog.table(organization, table.value) !== undefined;
  if (words[0] === 'EXISTS') return `SELECT toUInt8(${found ? 1 : 0}) AS result`;
  // A table that does not exist is left to the general DESCRIBE, which reports it.
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
