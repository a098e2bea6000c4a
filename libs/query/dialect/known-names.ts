import type { RequestOrganization } from '@app/platform';
import { namedColumns, type Catalog, type TableDescription } from '../catalog.js';
import { Verdicts } from '../guard/verdicts.js';
import type { Token } from '../search/statement-tokens.js';
import { authorTokens } from './author-tokens.js';
import { nameFinder } from '../name-of.js';
import { isName, isPoint, namesIn, sharedSpellings } from './given-names.js';

/** The usual schemas for tables in Postgres and in DuckDB, and the usual database in ClickHouse. */
const SCHEMAS: readonly string[] = ['public', 'main', 'default'];
const MAY_NAME_SCHEMA = /\b(?:public|main|default)\b/i;

/**
 * Corrects names that differ from the columns' names only in case, as SQL allows. A name that
 * exists as it is written means itself, and so does a quoted name. So only statements that fail, or
 * are known to fail, are changed.
 */
export class KnownNames {
  /** Statements that failed as they were, and succeeded after the change. */
  private readonly needed = new Verdicts<true>();

  constructor(private readonly catalog: Catalog) {}

  /** The statement to begin with. */
  first(text: string, organization: RequestOrganization): string {
    const isNeeded =
      MAY_NAME_SCHEMA.test(text) || this.needed.get(keyOf(text, organization)) === true;
    return isNeeded ? (this.written(text, organization) ?? text) : text;
  }

  /** Remembers that the changed statement succeeded. */
  keep(text: string, organization: RequestOrganization): void {
    this.needed.set(keyOf(text, organization), true);
  }

  /**
   * @returns the same text with the correct names, of the same length; undefined if no name
   *   changes.
   */
  written(text: string, organization: RequestOrganization): string | undefined {
    const tokens = authorTokens(text);
    if (!tokens) return undefined;
    const tables = new Map(this.catalog.tables(organization).map((table) => [table.name, table]));
    const changes = new Map<Token, string>();
    const names = namesIn(tokens);
    const own = names.given.map(({ token }) => token.value);
    const tableName = nameFinder([...tables.keys(), ...own]);
    const isTaken = takenNames(tables, own);
    const named = new Map<string, TableDescription>();
    for (const [at, token] of tokens.entries()) {
      const before = tokens[at - 1];
      const schema = isPoint(before) ? schemaAt(tokens, at - 2) : undefined;
      // No column stands behind FROM and JOIN, whatever it is called.
      const hasSchema = schema !== undefined && (isBehindFrom(tokens, at - 2) || !isTaken(schema));
      const isTable = hasSchema || BEFORE_TABLE.test(before?.text ?? '');
      const name = token.kind === 'word' && isTable ? tableName(token.value) : token.value;
      const table = isName(token) ? tables.get(name) : undefined;
      if (!table || (isPoint(before) && !hasSchema)) continue;
      named.set(name, table);
      if (name !== token.value) changes.set(token, name);
      if (hasSchema) for (const each of tokens.slice(at - 2, at)) changes.set(each, '');
    }
    const columns = columnsOf([...named.values()]);
    const spellings = sharedSpellings(names, tokens, columns);
    const spelled = (name: string): string => spellings.get(name.toLowerCase()) ?? name;
    const isGiven = new Set(names.given.map(({ token }) => token));
    const [inner, output, others] = [[...columns], [] as string[], [] as string[]];
    for (const { token, isColumn, isInner } of names.given) {
      if (!isColumn) others.push(token.value);
      else if (isInner) inner.push(spelled(token.value));
      else output.push(token.value);
      const isOther = isColumn && isInner && spelled(token.value) !== token.value;
      if (isOther) changes.set(token, spelled(token.value));
    }
    const ownName = nameFinder([...others, ...inner.slice(columns.length), ...output]);
    const columnName = nameFinder([...inner, ...others, ...output]);
    const qualifier = nameFinder([...inner, ...others, ...output, ...named.keys()]);
    const [innerName, outputName, otherName] = [inner, output, others].map(knownName);
    for (const [at, token] of tokens.entries()) {
      const [before, next] = [tokens[at - 1], tokens[at + 1]];
      if (token.kind !== 'word' || changes.has(token) || isGiven.has(token)) continue;
      // A value is named after its placeholder.
      if (next?.text === '(' || (before?.text === '{' && next?.text === ':')) continue;
      const { value } = token;
      const first = names.ofOutput.has(token) ? outputName : innerName;
      const alias = isPoint(next) ? ownName(value) : value;
      const table = /^(?:FROM|JOIN)$/i.test(before?.text ?? '') ? otherName?.(value) : undefined;
      const known = isPoint(next)
        ? qualifier(value)
        : (table ?? first?.(value) ?? columnName(value));
      const name = alias === value ? known : alias;
      if (name !== value) changes.set(token, name);
    }
    return changes.size === 0 ? undefined : withChanges(text, changes);
  }
}

/** Other organizations have other tables, in which the same statement may be correct. */
const keyOf = (text: string, { id }: RequestOrganization): string => `${id} ${text}`;

/** Tells whether a table must stand there. The words behind ARRAY JOIN are lists. */
const isBehindFrom = (tokens: readonly Token[], at: number): boolean =>
  /^(?:FROM|JOIN)$/i.test(tokens[at - 1]?.text ?? '') && !/^ARRAY$/i.test(tokens[at - 2]?.text ?? ''); // prettier-ignore

const BEFORE_TABLE = /^(?:FROM|JOIN|,)$/i;

/**
 * The schema whose name stands at this place. It is undefined if there is no such name, or if it is
 * a field of something.
 */
function schemaAt(tokens: readonly Token[], at: number): string | undefined {
  const token = tokens[at];
  if (!token || isPoint(tokens[at - 1]) || !isName(token)) return undefined;
  const name = token.kind === 'word' ? token.value.toLowerCase() : token.value;
  return SCHEMAS.includes(name) ? name : undefined;
}

/**
 * @returns whether a table, a column or another name of the statement equals the schema's name;
 *   looks only once.
 */
function takenNames(
  tables: ReadonlyMap<string, TableDescription>,
  given: readonly string[],
): (schema: string) => boolean {
  let taken: ReadonlySet<string> | undefined;
  const look = (): ReadonlySet<string> => {
    const columns = [...tables.values()].flatMap((table) => table.columns.map(({ name }) => name));
    const names = [...tables.keys(), ...columns, ...given].map((name) => name.toLowerCase());
    return new Set(SCHEMAS.filter((schema) => names.includes(schema)));
  };
  return (schema) => (taken ??= look()).has(schema);
}

function columnsOf(tables: readonly TableDescription[]): readonly string[] {
  return tables.flatMap((table) => [
    ...namedColumns(table).map(({ name }) => name),
    ...(table.within ?? []).flatMap(({ keys }) => keys),
  ]);
}

/**
 * Finds a name as `nameFinder` does. The result is undefined for a word that is none of the names.
 */
function knownName(names: readonly string[]): (word: string) => string | undefined {
  const all = new Set(names);
  const find = nameFinder(all);
  return (word) => (all.has(find(word)) ? find(word) : undefined);
}

/** Removed text becomes blanks, so that the places of errors stay correct. */
function withChanges(text: string, changes: ReadonlyMap<Token, string>): string {
  let written = '';
  let from = 0;
  for (const [{ start, end }, name] of [...changes].sort(([a], [b]) => a.start - b.start)) {
    written += text.slice(from, start) + (name === '' ? ' '.repeat(end - start) : name);
    from = end;
  }
  return written + text.slice(from);
}
