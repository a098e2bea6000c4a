import type { LocalEngine, QueryLimits, WarehouseReader } from './warehouse.js';

/** An engine over tables whose rows lie elsewhere: in files, object stores, databases. */
export interface SourceEngine {
  readonly reader: WarehouseReader;
  /** Makes the tables. Of it only trusted statements are asked. */
  readonly statements: Pick<LocalEngine, 'run'>;
  close(): Promise<void>;
}

export interface SourceEngineOptions {
  /** Absolute; for what is copied into the engine. Nothing in it is needed after the process. */
  readonly directory: string;
  readonly limits: QueryLimits;
  /** Client queries that run at once; more wait. */
  readonly readers: number;
  /** Definitions and copies that run at once; more wait. */
  readonly definers: number;
}
