import type { LateTables } from './late-tables.js';

/** The engine while it runs. */
export interface RunningEngine {
  /** Counts starts: what one generation was asked no other one knows. */
  readonly generation: number;
  /** `http://host:port`. */
  readonly origin: string;
  /** Path of the address that it answers at; secret. */
  readonly path: string;
  readonly pid: number;
  /** Those that it has yet to load. */
  readonly tables: LateTables;
}
