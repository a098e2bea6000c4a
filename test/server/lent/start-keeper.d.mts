export interface Keeper {
  /** Where it listens; see borrow-server.ts. */
  readonly socket: string;
  /** Ends it as the end of jest does; resolves when it and its servers are gone. */
  stop(): Promise<void>;
}

/** See start-keeper.mjs. */
export function startKeeper(): Promise<Keeper>;
