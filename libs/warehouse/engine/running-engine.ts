import type { Walls } from './engine-child.js';

/** Which of the engine's processes: the one with the tables, or the one that reads uploads. */
type EnginePart = 'warehouse' | 'uploads';

export type EngineEvent = { readonly of: EnginePart } & (
  | { readonly type: 'started'; readonly pid: number; readonly walls: Walls }
  | { readonly type: 'ended'; readonly reason: string }
);

/** The engine while it runs. */
export interface RunningEngine {
  /** Counts starts: what one generation was asked no other one knows. */
  readonly generation: number;
  /** `http://host:port`. */
  readonly origin: string;
  /** Path of the address that it answers at; secret. */
  readonly path: string;
  readonly pid: number;
}
