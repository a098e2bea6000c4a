import type { ChildProcess } from 'node:child_process';

/** See kafka.mjs. */
export function startKafka(options: {
  /** The port for a new directory; a free one is chosen when it is absent. */
  readonly port?: number;
  /** Absolute; made when missing. */
  readonly directory: string;
  readonly more?: MoreListeners;
}): Promise<{ readonly brokers: string; readonly process: ChildProcess }>;

/** Listeners beside the plain one. */
export interface MoreListeners {
  /** Ports by the listener's name, which is its protocol's too. */
  readonly listeners: Readonly<Record<string, number>>;
  readonly properties: string;
  /** Arguments for the tool that formats the storage. */
  readonly format: readonly string[];
}
