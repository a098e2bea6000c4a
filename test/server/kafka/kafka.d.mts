import type { ChildProcess } from 'node:child_process';

/** See kafka.mjs. */
export function startKafka(options: {
  /** Of a new directory; a free one without it. */
  readonly port?: number;
  /** Absolute; made when missing. */
  readonly directory: string;
}): Promise<{ readonly brokers: string; readonly process: ChildProcess }>;
