import { quoteIdentifier } from '@app/warehouse';
import type { TableDescription } from '../catalog.js';
import type { BoundStatement } from '../plan/bindings.js';
import type { TimeRange } from '../plan/time-range.js';
import {
  joinClauses,
  splitStatement,
  tableNames,
  type Clauses,
  type Keyword,
} from './statement-clauses.js';
import { withMicroseconds } from './microsecond-times.js';
import { SEARCH_CODE, searchError } from './search-error.js';
import { expandFunctions, type SearchContext } from './search-functions.js';
import { isName, tokenize } from './statement-tokens.js';

/** The tables that a statement may read. */
type TableOf = (name: string) => TableDescription | undefined;

export interface SearchPlan {
  /** The tables that the statement reads. */
  readonly tables: readonly TableDescription[];
  /** The seconds of the buckets of the statement's first histogram; undefined if it has none. */
  readonly histogramInterval: number | undefined;
  /** True if each row is a record of one table, so that rows can be counted by time. */
  readonly isPlain: boolean;
  /** All rows of the statement, to count them. */
  readonly all: BoundStatement;
  /** A page of rows, newest first unless the statement has its own order. */
  page(from: number, size: number): BoundStatement;
  /**
   * The same page without the order by time, for aggregates, which have no time to sort by. It is
   * undefined when the plan adds no such order.
   */
  unordered(from: number, size: number): BoundStatement | undefined;
  /** An aggregation over all rows that WHERE and time range select. */
  aggregation(canonical: string): BoundStatement;
}

const QUERY = 'query';

/**
 * @param canonical the statement as the engine prints it.
 * @throws {MillraceError} INVALID_SEARCH
 */
export function planSearch(
  canonical: string,
  range: TimeRange,
  tableOf: TableOf,
  interval?: number,
): SearchPlan {
  if (!/^(?:SELECT|WITH|\()/.test(canonical))
    throw searchError(SEARCH_CODE.invalidSql, 'only one SELECT is admitted');
  const tables = tablesOf(canonical, tableOf);
  const context = {
    fullTextColumns: fullTextColumns(tables),
    rangeSeconds: rangeSeconds(range),
    interval,
  };
  const intervals: number[] = [];
  const statement = expandFunctions(withMicroseconds(canonical), {
    ...context,
    onHistogram: (seconds) => void intervals.push(seconds),
  });
  const split = splitStatement(statement);
  if (split.clauses.has('SETTINGS'))
    throw searchError(
      SEARCH_CODE.invalidSql,
      'a search takes no SETTINGS; use POST /api/{org}/sql',
    );
  const single = singleTable(split, statement, tableOf);
  const bound = (sql: string): BoundStatement => ({ sql, values: valuesOf(range) });
  const timed: Timed = single
    ? { clauses: withTime(split.clauses, single.alias, range), read: (sql: string): string => sql }
    : { clauses: split.clauses, read: (sql: string): string => readTimed(sql, tables, range) };
  const written = split.compound ? statement : joinClauses(timed.clauses);
  const all = timed.read(written);
  const ordered = ownOrder(split) ? undefined : newestFirst(timed, written, split, single, tableOf);
  return {
    tables,
    histogramInterval: intervals[0],
    isPlain: single !== undefined && !ownShape(split),
    all: bound(`SELECT count() AS total FROM (${all})`),
    page: (from, size) =>
      bound(ordered === undefined ? paged(all, split, from, size) : limited(ordered, from, size)),
    unordered: (from, size) => (ordered ? bound(paged(all, split, from, size)) : undefined),
    aggregation: (text) => {
      const rows = timed.read(split.compound ? statement : selectedRows(timed.clauses, split));
      return bound(aggregate(text, rows, context));
    },
  };
}

function tablesOf(canonical: string, tableOf: TableOf): readonly TableDescription[] {
  return [...tableNames(tokenize(canonical))].flatMap((name) => tableOf(name) ?? []);
}

function fullTextColumns(tables: readonly TableDescription[]): readonly string[] {
  const [only, ...more] = tables;
  return only && more.length === 0 ? (only.fullTextColumns ?? []) : [];
}

/** Gives the number of seconds in a range; undefined if it has no beginning. */
export function rangeSeconds({ start, end = Date.now() * 1000 }: TimeRange): number | undefined {
  return start === undefined ? undefined : Math.max(0, (end - start) / 1e6);
}

interface Timed {
  readonly clauses: Clauses['clauses'];
  /** Adds the time range to a statement that consists of the clauses. */
  readonly read: (sql: string) => string;
}

interface SingleTable {
  readonly alias: string;
  readonly table: TableDescription;
}

/**
 * Reads `FROM logs` or `FROM logs AS l`. If the statement reads nothing else, the time range can
 * stand in its WHERE.
 */
function singleTable(
  { compound, clauses }: Clauses,
  statement: string,
  tableOf: TableOf,
): SingleTable | undefined {
  const [name, as, alias, more] = tokenize(clauses.get('FROM') ?? '');
  if (compound || clauses.has('WITH') || !isName(name) || more) return undefined;
  if (as !== undefined && (as.text !== 'AS' || !isName(alias))) return undefined;
  const table = tableOf(name.value);
  const selects = tokenize(statement).filter(({ text }) => text === 'SELECT').length;
  const inOperands = tokenize(statement).some(
    (token, index, all) => token.text === 'IN' && isName(all[index + 1]),
  );
  if (!table || selects > 1 || inOperands) return undefined;
  return { table, alias: alias?.value ?? name.value };
}

function timeCondition(prefix: string, { start, end }: TimeRange): string | undefined {
  const conditions = [
    ...(start === undefined
      ? []
      : [`${prefix} >= fromUnixTimestamp64Micro({start_time:Int64}, 'UTC')`]),
    ...(end === undefined ? [] : [`${prefix} < fromUnixTimestamp64Micro({end_time:Int64}, 'UTC')`]),
  ];
  return conditions.length === 0 ? undefined : conditions.join(' AND ');
}

function valuesOf({ start, end }: TimeRange): Readonly<Record<string, string>> {
  return {
    ...(start === undefined ? {} : { start_time: String(start) }),
    ...(end === undefined ? {} : { end_time: String(end) }),
  };
}

/**
 * The time range is a conjunct of its own, so an OR in the statement does not reach beyond its
 * brackets.
 */
function withTime(
  clauses: Clauses['clauses'],
  alias: string,
  range: TimeRange,
): ReadonlyMap<Keyword, string> {
  const time = timeCondition(`${quoteIdentifier(alias)}.\`_timestamp\``, range);
  if (time === undefined) return clauses;
  const where = clauses.get('WHERE');
  return new Map(clauses).set('WHERE', where === undefined ? time : `(${time}) AND (${where})`);
}

/** Every table in the statement is read only within the time range. */
function readTimed(sql: string, tables: readonly TableDescription[], range: TimeRange): string {
  const time = timeCondition('`_timestamp`', range);
  if (time === undefined || tables.length === 0) return sql;
  const expressions = tables.map(({ name }) => {
    const quoted = quoteIdentifier(name);
    if (name.startsWith('_'))
      throw searchError(
        SEARCH_CODE.invalidSql,
        `a time range over ${name} needs a plain SELECT from it alone; or put the time into WHERE`,
      );
    return `${quoted} AS (SELECT * FROM ${quoted} WHERE ${time})`;
  });
  return `WITH ${expressions.join(', ')} SELECT * FROM (${sql})`;
}

/** Tells whether the statement has an order, or cannot be ordered by us. */
function ownOrder({ compound, clauses }: Clauses): boolean {
  const select = clauses.get('SELECT') ?? '';
  if (compound) return false;
  return (
    ['ORDER BY', 'GROUP BY', 'HAVING', 'LIMIT', 'LIMIT BY', 'OFFSET'].some((keyword) =>
      clauses.has(keyword as Keyword),
    ) || /^DISTINCT\b/.test(select)
  );
}

/** Tells whether its rows differ from those that WHERE selects. */
function ownShape({ clauses }: Clauses): boolean {
  const select = clauses.get('SELECT') ?? '';
  return (
    (['GROUP BY', 'HAVING', 'LIMIT', 'LIMIT BY', 'OFFSET', 'QUALIFY'] as const).some((keyword) =>
      clauses.has(keyword),
    ) || /^DISTINCT\b/.test(select)
  );
}

/** Orders by the time of the single table that it reads, or by a time in its rows. */
function newestFirst(
  { clauses, read }: Timed,
  written: string,
  { compound }: Clauses,
  single: SingleTable | undefined,
  tableOf: TableOf,
): string {
  const [table, as, alias] = tokenize(clauses.get('FROM') ?? '');
  if (compound || !isName(table) || !tableOf(table.value) || (as && as.text !== 'AS'))
    return `SELECT * FROM (${read(written)}) ORDER BY \`_timestamp\` DESC`;
  const columns = ['_timestamp', ...(single?.table.arrivalColumns ?? [])];
  const qualifier = quoteIdentifier(alias?.value ?? table.value);
  const keys = columns.map((name) => `${qualifier}.${quoteIdentifier(name)} DESC`);
  return read(joinClauses(new Map(clauses).set('ORDER BY', keys.join(', '))));
}

function limited(sql: string, from: number, size: number): string {
  return `${sql} LIMIT ${size}${from > 0 ? ` OFFSET ${from}` : ''}`;
}

/** A limit in the statement decides which rows exist; pages divide those. */
function paged(sql: string, { compound, clauses }: Clauses, from: number, size: number): string {
  const open = compound || clauses.has('LIMIT') || clauses.has('OFFSET');
  return limited(open ? `SELECT * FROM (${sql})` : sql, from, size);
}

/**
 * Gives the rows that WHERE selects, with all columns. WHERE may use names from the select list.
 */
function selectedRows(clauses: Clauses['clauses'], { selected }: Clauses): string {
  const rows = new Map<Keyword, string>([['SELECT', '*']]);
  const keep = (keyword: Keyword): void => {
    const text = clauses.get(keyword);
    if (text !== undefined) rows.set(keyword, text);
  };
  for (const keyword of ['WITH', 'FROM', 'PREWHERE', 'WHERE'] as const) keep(keyword);
  const conditions = tokenize(`${clauses.get('PREWHERE') ?? ''} ${clauses.get('WHERE') ?? ''}`);
  const named = selected.filter((item) => {
    const alias = tokenize(item).at(-1);
    const as = tokenize(item).at(-2);
    return (
      as?.text === 'AS' &&
      as.depth === 0 &&
      conditions.some((token) => isName(token) && token.value === alias?.value)
    );
  });
  const own = rows.get('WITH');
  const expressions = [...(own === undefined ? [] : [own]), ...named];
  if (expressions.length > 0) rows.set('WITH', expressions.join(', '));
  return joinClauses(rows);
}

function aggregate(canonical: string, rows: string, context: SearchContext): string {
  if (!tableNames(tokenize(canonical)).has(QUERY)) {
    throw searchError(
      SEARCH_CODE.aggregation,
      "Aggregation SQL only support 'from query' as context",
    );
  }
  const statement = expandFunctions(canonical, context);
  const { compound, clauses, selected } = splitStatement(statement);
  if (selected.includes('*')) {
    throw searchError(
      SEARCH_CODE.aggregation,
      "Aggregation SQL is not supported 'select *' please specify the fields",
    );
  }
  const query = `${QUERY} AS (${rows})`;
  if (compound) return `WITH ${query} SELECT * FROM (${statement})`;
  const own = clauses.get('WITH');
  return joinClauses(new Map(clauses).set('WITH', own === undefined ? query : `${query}, ${own}`));
}
