import { certain } from '@app/platform';

/** An open node of the engine's print, as far as scopes need it. */
interface ScopeNode {
  readonly label: string;
  /** LIST only: the number of children so far. */
  readonly children: number;
}

/**
 * Tells which names in FROM can only be a common table expression. The engine takes a name for a
 * table where the expression is not in reach: outside of its query, in its own definition, and in
 * what that reads, at any distance. So a name counts when it is given once, and where it stands
 * after its definition: then no definition reads itself.
 */
export class ExpressionScopes {
  /** Names that may be a table's although an expression has the same name. */
  readonly loose = new Set<string>();
  /** The expressions of each QUERY, by their places in its WITH. */
  private readonly declared = new Map<ScopeNode, Map<string, number>>();
  private readonly holders = new Map<string, ScopeNode>();

  /** @param path to the definition, from the outermost node */
  declare(name: string, path: readonly ScopeNode[]): void {
    const [query, section, list] = path.slice(-3);
    const [union, queries] = [path.at(-6), path.at(-5)];
    if (query?.label !== 'QUERY' || section?.label !== 'WITH' || !list) {
      this.loose.add(name);
      return;
    }
    const expressions = this.declared.get(query) ?? new Map<string, number>();
    this.declared.set(query, expressions.set(name, list.children));
    // The engine writes the WITH of a union's first query into its others.
    const holder = union?.label === 'UNION' && queries?.label === 'QUERIES' ? union : query;
    if ((this.holders.get(name) ?? holder) !== holder) this.loose.add(name);
    this.holders.set(name, holder);
  }

  /** @param path to a name where a table stands */
  refer(name: string, path: readonly ScopeNode[]): void {
    const isInReach = path.some((node, at) => {
      const place = this.declared.get(node)?.get(name);
      if (place === undefined) return false;
      const isWithin = path[at + 1]?.label === 'WITH';
      return !isWithin || place < certain(path[at + 2], 'list of a WITH').children;
    });
    if (!isInReach) this.loose.add(name);
  }
}
