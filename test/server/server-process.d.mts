import type { ChildProcess } from 'node:child_process';

export const ROOT: { readonly email: string; readonly password: string };

export interface ServerOptions {
  /**
   * The caller keeps it. Without one, the server gets its own, which is deleted when the server ends.
   */
  readonly dataDirectory?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** The program of another build; absolute. */
  readonly main?: string | undefined;
}

export interface ServerProcess {
  readonly url: string;
  readonly process: ChildProcess;
  readonly dataDirectory: string;
  /** Its exit code, when it is gone; null after a signal. */
  readonly ended: Promise<number | null>;
  /** All that it has printed and logged so far. */
  output(): string;
}

/** See server-process.mjs. */
export function startProcess(options?: ServerOptions): Promise<ServerProcess>;
