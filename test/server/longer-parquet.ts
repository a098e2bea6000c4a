import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** Longer than the files of Parquet that are copied at the start. */
const LONG_BYTES = 130 * 1024 * 1024;
const TAIL_BYTES = 8;

/** Writes bytes of Parquet as a file that is too long to be copied at the start; most of it is a hole. */
export function writeLonger(bytes: Buffer, file: string): void {
  const footer = bytes.readUInt32LE(bytes.length - TAIL_BYTES) + TAIL_BYTES;
  const opened = openSync(file, 'w');
  writeSync(opened, bytes, 0, bytes.length - footer, 0);
  writeSync(opened, bytes, bytes.length - footer, footer, LONG_BYTES - footer);
  closeSync(opened);
}

export const copyLonger = (from: string, file: string): void => {
  writeLonger(readFileSync(from), file);
};
