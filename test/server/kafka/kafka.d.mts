import type { ChildProcess } from 'node:child_process';

/** See kafka.mjs. */
export function startKafka(options: {
  /** Of a new directory; a free one without it. */
  readonly port?: number;
  /** Absolute; made when missing. */
  readonly directory: string;
  readonly more?: MoreListeners;
}): Promise<{ readonly brokers: string; readonly process: ChildProcess }>;

/** Beside the plain one. */
export interface MoreListeners {
  /** Ports by the listener's name, which is its protocol's too. */
  readonly listeners: Readonly<Record<string, number>>;
  readonly properties: string;
  /** For the tool that formats the storage. */
  readonly format: readonly string[];
}
