/** The end of a trail's chain of hashes. */
export interface Chain {
  /** The hash of the last entry. */
  readonly hash: string;
  readonly position: bigint;
}

/** The end of one trail, as a snapshot has it. */
export interface StoredChain {
  readonly database: string;
  readonly hash: string;
  readonly position: string;
}

export const toStored = (chains: ReadonlyMap<string, Chain>): readonly StoredChain[] =>
  [...chains].map(([database, { hash, position }]) => ({
    database,
    hash,
    position: String(position),
  }));

/** @param state of a snapshot */
export const fromStored = (state: unknown): ReadonlyMap<string, Chain> =>
  new Map(
    (state as readonly StoredChain[]).map(
      ({ database, hash, position }) => [database, { hash, position: BigInt(position) }] as const,
    ),
  );
