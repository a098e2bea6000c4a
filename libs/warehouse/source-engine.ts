import type { LocalEngine, WarehouseReader } from './warehouse.js';

/** An engine over tables whose rows lie elsewhere: in files, object stores, databases. */
export interface SourceEngine {
  readonly reader: WarehouseReader;
  /** Makes the tables. Of it only trusted statements are asked. */
  readonly statements: Pick<LocalEngine, 'run'>;
  close(): Promise<void>;
}
