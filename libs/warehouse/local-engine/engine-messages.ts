import type { Walls } from '../child/engine-child.js';
import type { RowFile, RowFiles } from '../row-files.js';

/** A request to the engine's process, one JSON text a line. */
export type EngineRequest =
  | {
      readonly id: number;
      readonly run: string;
      readonly params?: Readonly<Record<string, string>> | undefined;
    }
  | { readonly id: number; readonly spool: SpoolRequest }
  /** Asks for the next file of rows, or says that no more are wanted. */
  | { readonly id: number; readonly next: boolean };

interface SpoolRequest extends RowFiles {
  readonly sql: string;
}

/** An answer of the engine's process, also one JSON text a line. */
export interface EngineAnswer extends Partial<RowFile> {
  readonly id?: number;
  /** The first message, after its start. */
  readonly ready?: Walls;
  readonly text?: string;
  readonly done?: boolean;
  readonly failed?: {
    readonly message: string;
    readonly code?: string | number;
    readonly type?: string;
    /** The system call that failed to write a file. */
    readonly syscall?: string;
  };
}
