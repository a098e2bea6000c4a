import { Injectable } from '@nestjs/common';
import { certain, MillraceError, type RequestOrganization } from '@app/platform';
import { toWarehouseError, WarehouseReader } from '@app/warehouse';
import { Catalog, type TableDescription } from '../catalog.js';
import { readableText } from '../dialect/author-text.js';
import { fromCatalog } from '../dialect/catalog/catalog-statements.js';
import { marked, unmarked } from '../dialect/kept-pieces.js';
import { TRANSLATED_FUNCTIONS } from '../dialect/functions/translated-functions.js';
import { textOf, Translation } from '../dialect/translation.js';
import { mayHaveWallTimes } from '../plan/wall-times.js';
import { toQueryFailure } from '../failures/query-failure.js';
import { KNOWN_FUNCTIONS } from './functions/allowed-functions.js';
import { takeSettings, type Settings } from './allowed-settings.js';
import { bindValues, nameIdentifiers, type Values } from './bind-values.js';
import { checkFindings, checkTables, checkTexts } from './tree/check-findings.js';
import { checkSize, checkText } from './check-text.js';
import { inspectTree, type TreeFindings } from './tree/inspect-tree.js';
import { SessionFunctions } from './tree/functions-without-brackets.js';
import { Refusal, refused } from './refused.js';
import { StatementShapes } from './shapes/statement-shapes.js';
import { foreignTable } from './second-look.js';
import { spellOut, type SpelledStatement } from './spell-out.js';
import { judgeTexts, type JudgedTexts } from './arguments/text-arguments.js';
import { TimeZones } from './time-zones.js';
import { Verdicts } from './verdicts.js';

/** A statement that may run, in the engine's canonical form. */
interface Admitted {
  readonly statement: string;
  /** A statement with the same columns: this one, or one with other values in its conditions. */
  readonly alike: string;
  /** The engine's settings for this statement. */
  readonly settings: Settings;
  /** The engine's plan of a statement. */
  readonly explains: boolean;
  /** Tells whether times without a zone may be among its columns. */
  readonly wallTimes: boolean;
  /** The tables that it may read. */
  readonly tables: readonly TableDescription[];
}

/** The engine's own names, in lower case. */
interface EngineNames {
  readonly functions: ReadonlySet<string>;
  /** The correct spellings of functions that have only one spelling. */
  readonly spellings: ReadonlyMap<string, string>;
  /** The names as `database.table`. */
  readonly tables: ReadonlySet<string>;
  readonly zones: ReadonlySet<string>;
}

interface Verdict extends TreeFindings, JudgedTexts {
  readonly spelled: SpelledStatement;
  readonly settings: Settings;
  readonly explains: boolean;
  readonly sessionFunctions: SessionFunctions | undefined;
}

/**
 * The first wall between tenants: every statement for the warehouse goes through `admit`.
 *
 * The engine's own parser judges, on text that cannot be executed. First the text is a value of
 * `formatQuerySingleLine`: one statement or an error, comments gone; what that prints must print
 * as itself again, or it is another statement than the one that was read. Then the canonical text
 * stands inside `EXPLAIN QUERY TREE run_passes=0 SELECT * FROM (…)`: whatever is no SELECT is a
 * syntax error there, nothing runs, and the print names every function, table function and
 * identifier. All of them must be allowed; a print that is not understood is refused.
 *
 * Not each text is judged: of statements that differ only in values that they compare with, a text
 * with other values there is, and theirs go into what was admitted (`shapes/statement-shapes.ts`).
 *
 * A name without a dot can only be the organization's own, since the session's database is the
 * organization's. The other wall is the session: the engine holds it read-only, which takes
 * writes and settings from it whatever this one lets pass.
 */
@Injectable()
export class Guard {
  private names: EngineNames | undefined;
  private readonly zones = new TimeZones();
  private readonly verdicts = new Verdicts<Verdict>();
  /** A cache of statements as the engine prints them, by the text that was sent. */
  private readonly printed = new Verdicts<SpelledStatement>();
  private readonly shapes = new StatementShapes();
  private readonly translation: Translation;

  constructor(
    private readonly reader: WarehouseReader,
    private readonly catalog: Catalog,
  ) {
    this.translation = new Translation(catalog);
  }

  /**
   * @param values of the statement's `{name:Type}` placeholders.
   * @throws {MillraceError} INVALID_SQL, INVALID_PARAMETER, STATEMENT_REFUSED, STREAM_NOT_FOUND
   */
  async admit(
    text: string,
    organization: RequestOrganization,
    values: Values = {},
  ): Promise<Admitted> {
    const judge = (sql: string): Promise<Admitted> => this.judge(sql, organization, values);
    const isPlain = Object.keys(values).length === 0 && !this.printed.get(text);
    try {
      return await (isPlain ? this.shapes.admit(text, organization, judge) : judge(text));
    } catch (error) {
      if (error instanceof Refusal) error.count();
      throw error;
    }
  }

  private async judge(
    text: string,
    organization: RequestOrganization,
    values: Values,
  ): Promise<Admitted> {
    const printed = await this.print(fromCatalog(text, this.catalog, organization) ?? text);
    const named = nameIdentifiers(printed, values);
    const whole = named === undefined ? printed : await this.spelled(named);
    const verdict = await this.verdictOn(await this.inWords(whole, organization), text);
    checkTables(verdict, this.catalog, organization, text);
    const { spelled, settings, explains, zones, zonePlaceholders } = verdict;
    // This refuses a placeholder without a value.
    const statement = bindValues(spelled, values);
    const given = [...zonePlaceholders].map((name) => certain(values[name], `value of ${name}`));
    this.zones.check([...zones, ...given], (await this.engineNames()).zones, organization.id);
    const names = new Set([...verdict.tables, ...verdict.inOperands].map(([name]) => name));
    const tables = [...names].flatMap((name) => this.catalog.table(organization, name) ?? []);
    const wallTimes = mayHaveWallTimes(statement, tables);
    return { statement, alike: statement, settings, explains, wallTimes, tables };
  }

  /** The functions that a statement may call, in the engine's spelling if it matters. */
  async functionNames(): Promise<readonly string[]> {
    const { functions, spellings } = await this.engineNames();
    const known = KNOWN_FUNCTIONS.filter((name) => functions.has(name));
    return [...new Set([...known, ...TRANSLATED_FUNCTIONS])]
      .filter((name) => !name.startsWith('_'))
      .sort()
      .map((name) => spellings.get(name) ?? name);
  }

  private async print(text: string): Promise<SpelledStatement> {
    const known = this.printed.get(text);
    if (known) return known;
    checkText(text);
    const printed = await this.readable(text);
    this.printed.set(text, printed);
    return printed;
  }

  /**
   * A text that the parser does not read may be standard SQL. Mistakes are reported at their places
   * in the original text.
   */
  private async readable(text: string): Promise<SpelledStatement> {
    const readable = readableText(text);
    if (readable === text) return this.spelled(text);
    try {
      return await this.spelled(readable);
    } catch (error) {
      await this.spelled(text);
      throw error;
    }
  }

  /** Gives the statement as the engine prints it. This text is judged, and this text runs. */
  private async inWords(
    printed: SpelledStatement,
    organization: RequestOrganization,
  ): Promise<SpelledStatement> {
    const { spellings } = await this.engineNames();
    const text = textOf(printed);
    const words = this.translation.of(text, organization, spellings);
    if (words === text) return printed;
    const known = this.printed.get(words) ?? (await this.spelled(words));
    this.printed.set(words, known);
    return known;
  }

  /** @param author the text that was sent, for the places of refused pieces. */
  private async verdictOn(printed: SpelledStatement, author: string): Promise<Verdict> {
    const text = textOf(printed);
    const known = this.verdicts.get(text);
    if (known) return known;
    const verdict = await this.examine(printed, author);
    this.verdicts.set(text, verdict);
    return verdict;
  }

  /** All checks that do not depend on the caller. */
  private async examine(printed: SpelledStatement, written: string): Promise<Verdict> {
    const { functions, tables } = await this.engineNames();
    const [spelled, settings] = takeSettings(printed);
    checkSize(spelled.printable);
    // Checks that no EXPLAIN stands there, or exactly one.
    const explained = EXPLAIN.exec(spelled.printable)?.[0] ?? '';
    const printable = spelled.printable.slice(explained.length);
    const tree = await this.tree(printable, written);
    const findings = inspectTree(tree);
    checkFindings(findings, written, functions);
    const texts = judgeTexts(findings.calls, findings.texts);
    checkTexts(texts, written);
    const { session_timezone: zone } = settings;
    const zones = new Set([...texts.zones, ...(zone === undefined ? [] : [zone])]);
    const foreign = foreignTable(spelled.printable, tables);
    if (foreign !== undefined)
      throw refused(
        'foreign_table',
        `it names ${foreign}; SHOW TABLES and DESCRIBE <table> tell what there is`,
      );
    const sessionFunctions = SessionFunctions.in(tree, printable, findings.loose);
    const explains = explained !== '';
    return { ...findings, ...texts, zones, spelled, settings, explains, sessionFunctions };
  }

  private async spelled(text: string): Promise<SpelledStatement> {
    const spelled = spellOut(await this.canonical(text));
    if (!spelled) throw refused('unreadable', 'it holds characters that cannot be checked');
    return spelled;
  }

  private async engineNames(): Promise<EngineNames> {
    const list = async (sql: string): Promise<ReadonlySet<string>> =>
      new Set((await this.reader.text({ sql, format: 'text' })).split('\n'));
    this.names ??= {
      functions: await list('SELECT DISTINCT lower(name) FROM system.functions'),
      spellings: new Map(
        [...(await list('SELECT name FROM system.functions WHERE NOT case_insensitive'))].map(
          (name) => [name.toLowerCase(), name],
        ),
      ),
      tables: await list(
        "SELECT DISTINCT lower(database || '.' || name) FROM system.tables WHERE lower(database) IN ('system', 'information_schema')",
      ),
      zones: await list('SELECT time_zone FROM system.time_zones'),
    };
    return this.names;
  }

  private async canonical(text: string): Promise<Buffer> {
    const print = 'formatQuerySingleLineOrNull';
    const withMarks = marked(text);
    const given = Buffer.from(withMarks).toString('hex');
    const sql =
      `SELECT hex(${print}(formatQuerySingleLine(unhex('${given}'))) AS again),` +
      ` ifNull(toString(${print}(again) = again), 'unread')`;
    let answer: string;
    try {
      answer = await this.reader.text({ sql, format: 'text' });
    } catch (error) {
      throw toQueryFailure(error, text);
    }
    const [hex = '', stable] = answer.trimEnd().split('\t');
    if (stable === 'unread') throw unread();
    if (stable !== '1')
      throw refused('unreadable', 'its names make it another statement when it is printed');
    const printed = Buffer.from(hex, 'hex');
    return withMarks === text ? printed : unmarked(printed);
  }

  private async tree(statement: string, text: string): Promise<string> {
    try {
      const sql = `EXPLAIN QUERY TREE run_passes = 0 SELECT * FROM (\n${statement}\n)`;
      return await this.reader.text({ sql, format: 'text' });
    } catch (error) {
      const { type } = toWarehouseError(error);
      if (type === 'SYNTAX_ERROR') throw notASelect(statement);
      throw toQueryFailure(error, text);
    }
  }
}

/** An EXPLAIN in front of a SELECT, which is then judged as if it stood alone. */
const EXPLAIN =
  /^EXPLAIN(?: (?:AST|SYNTAX|QUERY TREE|PLAN|PIPELINE|ESTIMATE))?(?: \w+ = \d+,?)* (?=SELECT |WITH |\()/;

const OUTPUT_CLAUSE = /\b(?:FORMAT\s+\w+|INTO\s+OUTFILE)\b/i;

const WRITES =
  /^(?:CREATE|INSERT|UPDATE|DELETE|MERGE|DROP|ALTER|TRUNCATE|RENAME|EXCHANGE|REPLACE|OPTIMIZE|ATTACH|DETACH|GRANT|REVOKE)\b/i;

const unread = (): MillraceError => new MillraceError('INVALID_SQL', 'the engine does not read the statement as it prints it: too much of it is within one another, or follows one another, as the items of a long sum (arraySum of a list), or a name in it wants quotes'); // prettier-ignore

function notASelect(statement: string): MillraceError {
  if (/^(?:SELECT|WITH|\()/i.test(statement) && OUTPUT_CLAUSE.test(statement)) {
    return refused(
      'not_a_select',
      'FORMAT and INTO OUTFILE are not allowed; choose the format by the Accept header',
    );
  }
  if (/^SELECT\b/i.test(statement)) return unread();
  const writes = WRITES.exec(statement)?.[0].toUpperCase();
  const why = writes === undefined ? '' : `${writes} is none: SQL only reads here, and rows come by uploads; `; // prettier-ignore
  return refused(
    'not_a_select',
    `only one SELECT is admitted; ${why}SHOW TABLES and DESCRIBE <table> tell what there is`,
  );
}
