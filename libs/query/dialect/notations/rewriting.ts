import type { Nodes } from '../source-tree.js';

/** SQL that replaces some nodes, and the index behind them. */
export interface Rewritten {
  readonly text: string;
  readonly end: number;
}

/** Rewrites nodes, including nested ones. */
export type Write = (nodes: Nodes) => string;
