/** An open node of the engine's print, as far as the tables of a FROM need it. */
interface FromNode {
  readonly label: string;
  /** QUERY only: the tables of its FROM that have no alias, and all other names in it. */
  readonly unnamed: Set<string>;
  readonly named: Set<string>;
}

/** Tells whether a table and its alias have the name of others in the same FROM, one of which has no alias. */
export function isRepeated(
  path: readonly FromNode[],
  table: string | undefined,
  alias: string | undefined,
): boolean {
  const query = path.findLast(({ label }) => label === 'QUERY');
  if (!query) return false;
  const { unnamed, named } = query;
  if (alias === undefined) {
    if (table === undefined) return false;
    const repeated = unnamed.has(table) || named.has(table);
    unnamed.add(table);
    return repeated;
  }
  const names = table === undefined ? [alias] : [alias, table];
  for (const name of names) named.add(name);
  return names.some((name) => unnamed.has(name));
}
