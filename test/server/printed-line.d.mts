import type { Readable } from 'node:stream';

/** See printed-line.mjs. */
export function printedLine(
  output: Readable,
  pattern: RegExp,
): Promise<RegExpExecArray | undefined>;
