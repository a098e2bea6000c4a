import type { Format } from '../protocol/front-messages.js';
import type { MessageWriter } from '../protocol/message-writer.js';
import { fieldOf, TEXT_TYPE } from '../values/postgres-type.js';

/** The rows of an answer, from the first to the last. */
export interface Rows {
  /** Says what columns there are. */
  describe(writer: MessageWriter): void;
  /** Tells whether there is another row; a promise only where it has to be waited for. */
  next(): boolean | Promise<boolean>;
  /** Writes the row that `next` has found. */
  write(writer: MessageWriter): void;
  /** @param rows how many were written since the last time. */
  tag(rows: number): string;
  /** Ends what is being waited for, with an AbortError. */
  abort(): void;
  /** Nobody wants the rest. */
  close(): void;
}

/** A statement without rows. */
export const noRows = (tag: string): Rows => ({
  describe: (writer) => writer.empty('n'),
  next: () => false,
  write: () => undefined,
  tag: () => tag,
  abort: () => undefined,
  close: () => undefined,
});

/** One row of one text. */
export function oneText(name: string, text: string, formats: readonly Format[], tag: string): Rows {
  let isWritten = false;
  return {
    describe: (writer) => writer.rowDescription([fieldOf(name, TEXT_TYPE)], formats),
    next: () => !isWritten,
    write: (writer) => {
      isWritten = true;
      writer.begin('D').int16(1).value(Buffer.from(text)).end();
    },
    tag: () => tag,
    abort: () => undefined,
    close: () => undefined,
  };
}

/** So many of them; the others stay where they are, for the next time. */
export function firstRows(rows: Rows, limit: number): Rows {
  let left = limit;
  return {
    describe: (writer) => rows.describe(writer),
    next: () => left > 0 && rows.next(),
    write: (writer) => {
      left -= 1;
      rows.write(writer);
    },
    tag: (count) => `FETCH ${count}`,
    abort: () => rows.abort(),
    close: () => undefined,
  };
}
