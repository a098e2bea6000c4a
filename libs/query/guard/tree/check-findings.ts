import { certain, didYouMean, MillraceError, type RequestOrganization } from '@app/platform';
import { AUDIT_TABLE, REJECTED_TABLE } from '@app/warehouse';
import type { Catalog } from '../../catalog.js';
import { placeOf } from '../../failures/place-in-text.js';
import {
  ALLOWED_TABLE_FUNCTIONS,
  isAllowedFunction,
  KNOWN_FUNCTIONS,
  REFUSED_TABLE_FUNCTIONS,
} from '../functions/allowed-functions.js';
import { TRANSLATED_FUNCTIONS } from '../../dialect/functions/translated-functions.js';
import { FUNCTIONS_ELSEWHERE } from '../functions/functions-elsewhere.js';
import { ENDLESS_FUNCTIONS } from '../functions/endless-functions.js';
import type { TreeFindings } from './inspect-tree.js';
import type { Name } from './print-nodes.js';
import type { SessionFunctions } from './functions-without-brackets.js';
import { readType } from '../arguments/read-type.js';
import { refused } from '../refused.js';
import { takesText, type JudgedTexts } from '../arguments/text-arguments.js';

/** The engine reads this table if a SELECT has no FROM. */
const NO_TABLE = 'system.one';
/** These tables stand beside the streams. No stream's name begins with `_`. */
const OWN_TABLES: ReadonlySet<string> = new Set([AUDIT_TABLE, REJECTED_TABLE]);
/** The names of databases of the engine or of an organization. */
const DATABASE =
  /^(?:system|information_schema|default|_temporary_and_external_tables|_local|o_[0-9a-f]{32})$/i;
/** All statements run with it. A test of dbt-clickhouse has it within a subquery. */
const ALWAYS = 'join_use_nulls=1';
/** These functions would reveal the name of the organization's database. */
const DATABASE_NAMES = new Set(['_database', 'currentdatabase', 'current_database']);

/**
 * Refuses everything that is refused for every tenant.
 * @param text as its author wrote it, for the places of refused pieces.
 * @param engineFunctions all functions of the engine, in lower case.
 * @throws {MillraceError} STATEMENT_REFUSED
 */
export function checkFindings(
  findings: TreeFindings,
  text: string,
  engineFunctions: ReadonlySet<string>,
): void {
  const at = (name: string): string => placeOf(name, text);
  for (const name of findings.tableFunctions) {
    if (ALLOWED_TABLE_FUNCTIONS.has(name)) continue;
    const isRefused = REFUSED_TABLE_FUNCTIONS.has(name.toLowerCase());
    const near =
      didYouMean(name, [...ALLOWED_TABLE_FUNCTIONS]) || ': tables are read by their names';
    const instead = elsewhere(name) ?? (isRefused ? undefined : near);
    if (instead !== undefined)
      throw new MillraceError(
        'INVALID_SQL',
        `there is no table function ${name}${at(name)}${instead}`,
      );
    throw refused(
      'table_function',
      `table function ${name} is not allowed${at(name)}; read from tables by their names`,
    );
  }
  for (const name of findings.functions) {
    if (findings.lambdas.has(name)) {
      if (!engineFunctions.has(name.toLowerCase())) continue;
      throw refused('function', `${name} is a function of the engine; give yours another name`);
    }
    if (isAllowedFunction(name)) continue;
    if (ENDLESS_FUNCTIONS.has(name.toLowerCase()))
      throw refused(
        'function',
        `function ${name} is not allowed${at(name)}: no limit would end it before it is done`,
      );
    if (!isOfEngine(name, engineFunctions))
      throw new MillraceError(
        'INVALID_SQL',
        `there is no function ${name}${at(name)}${elsewhere(name) ?? didYouMean(name, [...KNOWN_FUNCTIONS, ...TRANSLATED_FUNCTIONS])}`,
      );
    throw refused('function', `function ${name} is not allowed${at(name)}`);
  }
  for (const name of findings.expressions) {
    if (OWN_TABLES.has(name))
      throw refused('name', `a name in WITH may not be ${name}, which is a table of Millrace`);
  }
  for (const [name, ...more] of findings.references) {
    if (more.length === 0 && takesText(name))
      throw refused(
        'function',
        `${name} must be called with its arguments${at(name)}: x -> ${name}(x, …)`,
      );
    if (more.length > 0 || isAllowedFunction(name) || !engineFunctions.has(name.toLowerCase()))
      continue;
    throw refused(
      'function',
      `${name} is a function here, which is not allowed${at(name)}; a column is named with its table's name, as t.${name}`,
    );
  }
  for (const name of [...findings.columns, ...findings.inOperands]) {
    const last = certain(name.at(-1), 'last word of a name');
    if (DATABASE_NAMES.has(last.toLowerCase()) && name.length <= 2)
      throw refused('name', `${last} is not allowed${at(last)}`);
  }
  for (const [name] of findings.repeated) {
    // The engine would distinguish their columns by the database's name.
    if (!findings.expressions.has(name))
      throw new MillraceError(
        'INVALID_SQL',
        `${name} stands twice in one FROM: give each a name with AS`,
      );
  }
  const inner = findings.innerSettings.filter((settings) => settings !== ALWAYS);
  if (inner.length > 0)
    throw refused(
      'settings',
      `SETTINGS can only stand at the end of the statement: ${inner.join(', ')}`,
    );
  if (findings.namesState)
    throw refused('type', 'AggregateFunction cannot be named: states come from -State functions');
  const isForeignType = findings.typesInNames.find((type) => readType(type) === undefined);
  if (isForeignType !== undefined) throw refused('type', `${isForeignType} is no type to ask for`);
  if (findings.unknown.length > 0)
    throw refused('unreadable', 'it holds something that cannot be checked');
}

const COMBINED = /(?:if|distinct|ornull|ordefault|array|state|merge)$/;

/** Tells whether the engine has it, by itself or with a suffix of an aggregate function. */
function isOfEngine(name: string, engineFunctions: ReadonlySet<string>): boolean {
  const lower = name.toLowerCase();
  return engineFunctions.has(lower) || engineFunctions.has(lower.replace(COMBINED, ''));
}

/** @throws {MillraceError} STATEMENT_REFUSED */
export function checkTexts({ problem }: JudgedTexts, text: string): void {
  if (!problem) return;
  const { name, wants } = problem;
  throw refused('text', `${name} wants ${wants}${placeOf(name, text)}`);
}

interface Checked extends TreeFindings {
  readonly sessionFunctions: SessionFunctions | undefined;
}

/**
 * Tells whether all tables are the organization's.
 * @throws {MillraceError} STATEMENT_REFUSED, STREAM_NOT_FOUND
 */
export function checkTables(
  { tables, inOperands, expressions, loose, sessionFunctions }: Checked,
  catalog: Catalog,
  organization: RequestOrganization,
  text: string,
): void {
  // A caller who may see all tables of the database gains nothing if the engine takes a name for a
  // table.
  const seesAll = organization.streams === undefined;
  const own = ([name, ...more]: Name): boolean =>
    more.length === 0 &&
    ((expressions.has(name) && (seesAll || !loose.has(name))) ||
      catalog.table(organization, name) !== undefined);
  for (const name of tables) {
    if (name.join('.') === NO_TABLE || own(name)) continue;
    if (name.length > 1) throw bareNames(name, text);
    const [bare] = name;
    const known = catalog.tables(organization).map((table) => table.name);
    throw new MillraceError(
      'STREAM_NOT_FOUND',
      `${catalog.missing(organization, bare)}${placeOf(bare, text)}${didYouMean(bare, known)}`,
    );
  }
  const word = sessionFunctions?.first(
    (table, column) =>
      catalog.table(organization, table)?.columns.some(({ name }) => name === column) === true,
  );
  if (word !== undefined)
    throw refused(
      'name',
      `${word} is not allowed${placeOf(word, text)}; a column is named with its table's name, as t.${word}`,
    );
  for (const name of inOperands) {
    const [first] = name;
    // Through an alias, the name can be any table of the database.
    if (!seesAll)
      throw refused(
        'foreign_table',
        `a token for some streams cannot ask IN ${first}${placeOf(first, text)}: write IN (SELECT … FROM …), a list, or has(…)`,
      );
    if (own(name)) continue;
    // The name is a column or an alias, and must not be a table that this caller may not see.
    if (name.length > 1 ? DATABASE.test(first) : first.startsWith('_')) throw bareNames(name, text);
  }
}

function bareNames(name: Name, text: string): MillraceError {
  const written = name.join('.');
  return refused(
    'foreign_table',
    `it names ${JSON.stringify(written)}${placeOf(written, text)}: name tables by their bare names, in backquotes where they hold dots`,
  );
}

function elsewhere(name: string): string | undefined {
  const instead = Object.entries(FUNCTIONS_ELSEWHERE).find(
    ([known]) => known === name.toLowerCase(),
  );
  return instead && `: ${instead[1]}`;
}
