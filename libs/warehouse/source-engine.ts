import type { LocalEngine, QueryLimits, WarehouseReader } from './warehouse.js';

/** An engine over tables whose rows are elsewhere: in files, object stores, databases. */
export interface SourceEngine {
  readonly reader: WarehouseReader;
  /** Creates the tables. Only trusted statements are sent through it. */
  readonly statements: Pick<LocalEngine, 'run'>;
  close(): Promise<void>;
}

export interface SourceEngineOptions {
  /**
   * An absolute path of the folder for copies in the engine. Its content is not needed after the
   * process ends.
   */
  readonly directory: string;
  readonly limits: QueryLimits;
  /** Client queries that run at once; more wait. */
  readonly readers: number;
  /** Definitions and copies that run at once; more wait. */
  readonly definers: number;
}
