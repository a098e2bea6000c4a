/** The rows of one partition of the hosted queue, up to an offset. */
interface Reach {
  readonly last: number;
  readonly rows: number;
}

/**
 * The rows of a stream that have been fetched, by partition. Rows of a batch carry the partition
 * and offset they came from.
 */
export type Reaches = ReadonlyMap<number, Reach>;

/** Rows of a batch: they became visible together. */
export interface BatchRows {
  readonly partition: number;
  readonly offset: number;
  readonly rows: number;
}

/**
 * The rows that one request fetches: from some partitions, the offsets after one and up to another.
 */
export interface Chunk {
  readonly ranges: readonly { partition: number; after: number; upTo: number }[];
  readonly rows: number;
}

/**
 * The hosted side takes long to begin a larger answer, and the whole answer is lost when the
 * connection breaks.
 */
const CHUNK_ROWS = 500_000;

/**
 * Plans chunks of those `batches` that are beyond `known` and not beyond `wanted`, in their order.
 */
export function planFetch(
  batches: readonly BatchRows[],
  known: Reaches,
  wanted: Reaches,
  chunkRows = CHUNK_ROWS,
): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let ranges = new Map<number, { partition: number; after: number; upTo: number }>();
  let rows = 0;
  const reached = new Map([...known].map(([partition, { last }]) => [partition, last]));
  const cut = (): void => {
    if (rows > 0) chunks.push({ ranges: [...ranges.values()], rows });
    ranges = new Map();
    rows = 0;
  };
  for (const batch of batches) {
    const { partition, offset } = batch;
    const after = reached.get(partition) ?? -1;
    if (offset <= after || offset > (wanted.get(partition)?.last ?? -1)) continue;
    if (rows > 0 && rows + batch.rows > chunkRows) cut();
    ranges.set(partition, {
      partition,
      after: ranges.get(partition)?.after ?? after,
      upTo: offset,
    });
    reached.set(partition, offset);
    rows += batch.rows;
  }
  cut();
  return chunks;
}

/** The rows of a chunk, as the hosted engine's condition. */
export function conditionOf({ ranges }: Pick<Chunk, 'ranges'>): string {
  return ranges
    .map(
      ({ partition, after, upTo }) =>
        `(_partition = ${partition} AND _offset > ${after} AND _offset <= ${upTo})`,
    )
    .join(' OR ');
}

/** All that is wanted and not known; undefined when that is nothing. */
export function missing(known: Reaches, wanted: Reaches): Pick<Chunk, 'ranges'> | undefined {
  const ranges = [...wanted].flatMap(([partition, { last }]) => {
    const after = known.get(partition)?.last ?? -1;
    return last > after ? [{ partition, after, upTo: last }] : [];
  });
  return ranges.length === 0 ? undefined : { ranges };
}

/** Tells how much is known after this chunk has been fetched. */
export function advance(known: Reaches, batches: readonly BatchRows[], upTo: Reaches): Reaches {
  const reached = new Map(known);
  for (const { partition, offset, rows } of batches) {
    const before = reached.get(partition) ?? { last: -1, rows: 0 };
    if (offset <= before.last || offset > (upTo.get(partition)?.last ?? -1)) continue;
    reached.set(partition, { last: offset, rows: before.rows + rows });
  }
  return reached;
}

export function sameReaches(one: Reaches, other: Reaches): boolean {
  return (
    one.size === other.size &&
    [...one].every(([partition, { last, rows }]) => {
      const there = other.get(partition);
      return there?.last === last && there.rows === rows;
    })
  );
}
