import type { SourceStamp } from '../sources/source-stamp.js';

/** A file that was written within this time may be written again, and have the same stamp. */
const SETTLED_MS = 2_000;

/** Tells whether a later change of the files shows, though file systems store times only to some milliseconds. */
export const isSettled = ({ writtenAt }: SourceStamp): boolean =>
  writtenAt <= Date.now() - SETTLED_MS;
