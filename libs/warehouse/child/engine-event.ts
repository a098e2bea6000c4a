import type { Walls } from './engine-child.js';

/** Names one of the engine's processes: the one with the tables, or the one that reads uploads. */
type EngineName = 'warehouse' | 'uploads';

export type EngineEvent = { readonly of: EngineName } & (
  | { readonly type: 'started'; readonly pid: number; readonly walls: Walls }
  | { readonly type: 'ended'; readonly reason: string }
);
