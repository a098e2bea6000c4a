import { namesAbove, type Column } from '@app/warehouse';
import { isScalar, isText } from './column-types.js';
import { OURS } from './stream-name-rules.js';

/** The subcolumns of single values that every table has. */
const OUR_OWN: readonly Column[] = OURS.map((name) => ({
  name,
  type: 'Nullable(UInt64)',
}));

/**
 * Columns of a stream, and which others cannot stand beside them. A dot in a name is a letter for
 * us. For the engine it may also lead into a column: into an object or a list, or to a subcolumn of
 * a single value (`null`, and `size` of text). A column with that name would then read data that
 * was not sent for it. And lists whose names are equal before the first dot are the engine's
 * `Nested`, of one length in every row. Single values bear each other in any order: `error` beside
 * `error.message`.
 */
export class ColumnNeighbours {
  private readonly columns = new Map<string, Column>();
  /** Columns with a dot in their name, by each prefix before a dot. */
  private readonly below = new Map<string, Column>();
  /** Lists, by the text before their first dot. */
  private readonly lists = new Map<string, Column>();

  constructor(columns: Iterable<Column>) {
    for (const column of OUR_OWN) this.add(column);
    for (const column of columns) this.add(column);
  }

  add(column: Column): void {
    this.columns.set(column.name, column);
    for (const above of namesAbove(column.name)) this.below.set(above, column);
    const list = listPrefix(column);
    if (list !== undefined) this.lists.set(list, column);
  }

  /** Tells why a new column cannot be added, naming the other column; undefined if it can. */
  problemWith(column: Column): string | undefined {
    const neighbour = this.neighbourOf(column);
    if (neighbour)
      return `cannot stand beside the field ${JSON.stringify(neighbour.name)}: the engine takes one for a part of the other; rename one of them, e.g. to ${JSON.stringify(renamed(column.name, neighbour.name))}`;
    const list = listPrefix(column);
    if (list !== undefined && KEPT_OF_LISTS.has(column.name.slice(list.length + 1)))
      return `cannot be a list: what follows its first dot is a name that the engine keeps to itself there; rename it, e.g. to ${JSON.stringify(undotted(column.name))}`;
    const other =
      list === undefined
        ? this.lists.get(column.name)
        : (this.columns.get(list) ?? this.lists.get(list));
    if (other)
      return `cannot stand beside the field ${JSON.stringify(other.name)}: the engine wants lists whose names are equal before the first dot to be of one length; rename one of them, e.g. to ${JSON.stringify(undotted(column.name))}`;
    return undefined;
  }

  private neighbourOf(column: Column): Column | undefined {
    for (const above of namesAbove(column.name)) {
      const holder = this.columns.get(above);
      if (holder && !isScalar(holder.type)) return holder;
      if (holder && keptWith(holder).some((neighbour) => isAtOrBelow(column.name, neighbour)))
        return holder;
    }
    if (!isScalar(column.type)) return this.below.get(column.name);
    return keptWith(column)
      .map((neighbour) => this.columns.get(neighbour) ?? this.below.get(neighbour))
      .find((found) => found !== undefined);
  }
}

/**
 * Names that the engine keeps behind the first dot of a list. No table can have such a `null`, and
 * reading a `size0` would end the engine for all tenants.
 */
const KEPT_OF_LISTS = new Set(['null', 'size0']);

/**
 * Gives the subcolumns that the engine keeps with a single value, by the name that they have there.
 */
const keptWith = ({ name, type }: Column): readonly string[] =>
  isText(type) ? [`${name}.null`, `${name}.size`] : [`${name}.null`];

const isAtOrBelow = (name: string, above: string): boolean =>
  name === above || name.startsWith(`${above}.`);

function listPrefix({ name, type }: Column): string | undefined {
  const dot = name.indexOf('.');
  return dot > 0 && type.startsWith('Array(') ? name.slice(0, dot) : undefined;
}

/** The beginning of the name before the conflicting dot. Of the two names it is the longer one's. */
const renamed = (one: string, other: string): string =>
  undotted(one.length > other.length ? one : other);

const undotted = (name: string): string => name.replaceAll('.', '_');
