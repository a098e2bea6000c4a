/** An open node of the engine's print, as far as aliases need it. */
interface AliasNode {
  readonly label: string;
  /** Tells whether the node has an alias. */
  readonly aliased: boolean;
}

/** Sections of a query in which an alias of its SELECT list is what its expression is. */
const CONDITIONS = new Set(['PREWHERE', 'WHERE', 'GROUP BY', 'HAVING', 'QUALIFY', 'ORDER BY']);

/**
 * Tells which names can only be an alias of the SELECT list of their own query. A name within the
 * list itself never counts: an alias may stand there in its own definition, and then the engine
 * looks for another meaning. Neither does a name within anything else that has an alias, since the
 * list could use that alias in turn: `SELECT y AS schema FROM t WHERE (schema AS y) != ''`. And
 * neither does the alias of another query, which is not in reach.
 */
export class ConditionAliases {
  private readonly declared = new Map<AliasNode, Set<string>>();
  private readonly used = new Map<string, Set<AliasNode | undefined>>();

  /** @param path to the node that has the alias, from the outermost node */
  declare(alias: string, path: readonly AliasNode[]): void {
    const [query, section, list] = path.slice(-3);
    if (query?.label !== 'QUERY' || section?.label !== 'PROJECTION' || list?.label !== 'LIST')
      return;
    const aliases = this.declared.get(query) ?? new Set();
    this.declared.set(query, aliases.add(alias));
  }

  /**
   * @param path to a name that is no table's
   * @param aliased tells whether the name itself has an alias
   */
  refer(name: string, path: readonly AliasNode[], aliased: boolean): void {
    const at = path.findLastIndex(({ label }) => label === 'QUERY');
    const isCondition =
      CONDITIONS.has(path[at + 1]?.label ?? '') &&
      !aliased &&
      path.slice(at + 1).every((node) => !node.aliased);
    const uses = this.used.get(name) ?? new Set();
    this.used.set(name, uses.add(isCondition ? path[at] : undefined));
  }

  /** Tells whether the name is such an alias at all of its places. Ask when all is read. */
  isAlias(name: string): boolean {
    const uses = this.used.get(name) ?? [];
    return [...uses].every(
      (query) => query !== undefined && this.declared.get(query)?.has(name) === true,
    );
  }
}
