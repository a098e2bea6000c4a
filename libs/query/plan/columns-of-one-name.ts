import { quoteIdentifier, quoteText } from '@app/warehouse';

interface NamedColumn {
  readonly name: string;
  readonly sql: string;
  /** The type of the expression. */
  readonly type: string;
}

const bare = (type: string): string => type.replace(/^Nullable\((.*)\)$/s, '$1');

/**
 * A SELECT of expressions of which several have one name. The engine refuses such names by AS, but
 * the first of several SELECTs names the columns of all: this one has no rows, and the same
 * expression for each column of a name.
 * @returns undefined where columns of one name have several types, or a type is not told
 */
export function selectOfOneName(columns: readonly NamedColumn[], from: string): string | undefined {
  const firsts = new Map<string, { readonly source: string; readonly type: string }>();
  for (const { name, type } of columns) {
    const first = firsts.get(name);
    if (type === '' || (first && bare(first.type) !== bare(type))) return undefined;
    if (!first) firsts.set(name, { source: `n${firsts.size}`, type });
  }
  const named = columns.map(
    ({ name }) => `${firsts.get(name)?.source} AS ${quoteIdentifier(name)}`,
  );
  const values = [...firsts.values()].map(
    ({ source, type }) => `defaultValueOfTypeName(${quoteText(type)}) AS ${source}`,
  );
  return (
    `SELECT ${named.join(', ')} FROM (SELECT ${values.join(', ')}) WHERE false` +
    ` UNION ALL SELECT ${columns.map(({ sql }) => sql).join(', ')} FROM ${from}`
  );
}
