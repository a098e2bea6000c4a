import type { Readable } from 'node:stream';

/** Tells each whole line of a stream. */
export function onLine(stream: Readable, tell: (line: string) => void): void;
