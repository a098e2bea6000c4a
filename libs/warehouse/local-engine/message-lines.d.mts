import type { Readable } from 'node:stream';

/** Calls a function with each complete line of a stream. */
export function onLine(stream: Readable, tell: (line: string) => void): void;
