import type { Nodes } from '../source-tree.js';

/** SQL that stands for some nodes, and the index behind them. */
export interface Rewritten {
  readonly text: string;
  readonly end: number;
}

/** Writes nodes anew, with all that is in them. */
export type Write = (nodes: Nodes) => string;
