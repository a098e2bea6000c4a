import { Injectable } from '@nestjs/common';
import { MillraceError, type RequestOrganization } from '@app/platform';
import { toWarehouseError, WarehouseReader } from '@app/warehouse';
import { Catalog } from '../catalog.js';
import { didYouMean } from '../near-name.js';
import { toQueryFailure } from '../query-failure.js';
import { ALLOWED_TABLE_FUNCTIONS, isAllowedFunction } from './allowed-functions.js';
import { inspectTree, type TreeFindings } from './inspect-tree.js';
import { STATEMENT_BYTES_MAX, VERDICTS_MAX } from './limits.js';

/**
 * The first wall between tenants: every statement for the warehouse goes through `admit`.
 *
 * The engine's own parser judges, on text that cannot be executed. First the text is a bound value
 * of `formatQuerySingleLine`: one statement or an error, comments gone. Then that canonical text
 * stands inside `EXPLAIN QUERY TREE run_passes=0 SELECT * FROM (…)`: whatever is no SELECT is a
 * syntax error there, nothing runs, and the print names every function, table function and
 * identifier. All of them must be allowed; a print that is not understood is refused.
 *
 * A name without a dot can only be the organization's own, since the session's database is the
 * organization's. The other wall is the session: the engine holds it read-only, which takes table
 * functions, writes and settings from it whatever this one lets pass.
 */
@Injectable()
export class Guard {
  private readonly verdicts = new Map<string, TreeFindings & { readonly statement: string }>();

  constructor(
    private readonly reader: WarehouseReader,
    private readonly catalog: Catalog,
  ) {}

  /**
   * @returns the statement to run, in the engine's canonical form.
   * @throws {MillraceError} INVALID_SQL, STATEMENT_REFUSED, STREAM_NOT_FOUND
   */
  async admit(text: string, organization: RequestOrganization): Promise<string> {
    let verdict = this.verdicts.get(text);
    if (!verdict) {
      verdict = await this.examine(text);
      for (const oldest of this.verdicts.keys()) {
        if (this.verdicts.size < VERDICTS_MAX) break;
        this.verdicts.delete(oldest);
      }
      this.verdicts.set(text, verdict);
    }
    this.checkTables(verdict, organization);
    return verdict.statement;
  }

  /** Everything that does not depend on who asks. */
  private async examine(text: string): Promise<TreeFindings & { statement: string }> {
    checkText(text);
    const statement = await this.canonical(text);
    const findings = inspectTree(await this.tree(statement));
    checkFindings(findings);
    return { ...findings, statement };
  }

  private async canonical(text: string): Promise<string> {
    try {
      const sql = 'SELECT formatQuerySingleLine({sql:String})';
      return (await this.reader.text({ sql, format: 'text', params: { sql: text } })).trimEnd();
    } catch (error) {
      throw toQueryFailure(error, text);
    }
  }

  private async tree(statement: string): Promise<string> {
    try {
      const sql = `EXPLAIN QUERY TREE run_passes = 0 SELECT * FROM (\n${statement}\n)`;
      return await this.reader.text({ sql, format: 'text' });
    } catch (error) {
      const { type } = toWarehouseError(error);
      if (type === 'SYNTAX_ERROR') throw notASelect(statement);
      throw toQueryFailure(error, statement);
    }
  }

  private checkTables(
    { tables, inOperands, expressions }: TreeFindings,
    organization: RequestOrganization,
  ): void {
    for (const name of [...tables, ...inOperands]) {
      if (name === NO_TABLE || expressions.has(name)) continue;
      if (namesADatabase(name))
        throw refused(
          `it names ${JSON.stringify(name)}: name streams of your organization by their bare names`,
        );
    }
    for (const name of tables) {
      if (name === NO_TABLE || expressions.has(name) || this.catalog.table(organization, name))
        continue;
      const known = this.catalog.tables(organization).map((table) => table.name);
      throw new MillraceError(
        'STREAM_NOT_FOUND',
        `there is no stream ${JSON.stringify(name)} in organization ${organization.name}${didYouMean(name, known)}`,
      );
    }
  }
}

/** What the engine reads from when a SELECT has no FROM. */
const NO_TABLE = 'system.one';
/** Names that a database of the engine or of an organization has. */
const DATABASE =
  /^(?:system|information_schema|default|_temporary_and_external_tables|_local|o_[0-9a-f]{32})\.|[/\\]/i;

const namesADatabase = (name: string): boolean => DATABASE.test(name);

// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

function checkText(text: string): void {
  if (text.trim() === '')
    throw new MillraceError('EMPTY_BODY', 'the statement is empty; send one SELECT');
  if (Buffer.byteLength(text) > STATEMENT_BYTES_MAX) {
    throw new MillraceError(
      'INVALID_SQL',
      `a statement may have at most ${STATEMENT_BYTES_MAX} bytes`,
    );
  }
  const control = CONTROL.exec(text);
  if (control) {
    throw new MillraceError(
      'INVALID_SQL',
      `control character at position ${control.index + 1}; write it as an escape such as \\x00`,
    );
  }
}

function checkFindings({ functions, tableFunctions, settings, unknown }: TreeFindings): void {
  for (const name of tableFunctions) {
    if (!ALLOWED_TABLE_FUNCTIONS.has(name)) throw refused(`table function ${name} is not allowed`);
  }
  for (const name of functions) {
    if (!isAllowedFunction(name))
      throw refused(`function ${name} is not allowed or does not exist`);
  }
  if (settings.length > 0) throw refused(`SETTINGS are not allowed: ${settings.join(', ')}`);
  if (unknown.length > 0) throw refused('it holds something that cannot be checked');
}

const OUTPUT_CLAUSE = /\b(?:FORMAT\s+\w+|INTO\s+OUTFILE)\b/i;

function notASelect(statement: string): MillraceError {
  if (/^(?:SELECT|WITH|\()/i.test(statement) && OUTPUT_CLAUSE.test(statement)) {
    return refused(
      'FORMAT and INTO OUTFILE are not allowed; choose the format by the Accept header',
    );
  }
  return refused('only one SELECT is admitted');
}

function refused(why: string): MillraceError {
  return new MillraceError('STATEMENT_REFUSED', `the statement is refused: ${why}`);
}
