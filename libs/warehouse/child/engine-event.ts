import type { AsideTable } from '../ports/table-health.js';
import type { Walls } from './engine-child.js';

/** Names one of the engine's processes: the one with the tables, or the one that reads uploads. */
type EngineName = 'warehouse' | 'uploads';

export type EngineEvent = { readonly of: EngineName } & (
  | { readonly type: 'started'; readonly pid: number; readonly walls: Walls }
  | { readonly type: 'ended'; readonly reason: string }
  /** The definition of a database was made again, or that of a table got the number of its rows. */
  | { readonly type: 'mended'; readonly database: string; readonly table?: string }
  /** The engine does not start, and is started with some of its tables until it is known why. */
  | { readonly type: 'searching'; readonly reason: string }
  /** The engine cannot load a table, and goes on without it. */
  | { readonly type: 'aside'; readonly table: AsideTable }
);
