import type { Format } from '../protocol/front-messages.js';
import type { MessageWriter } from '../protocol/message-writer.js';
import { fieldOf, TEXT_TYPE, type PostgresType } from '../values/postgres-type.js';

/** The rows of an answer, from the first to the last. */
export interface Rows {
  /** The columns of the rows. */
  describe(writer: MessageWriter): void;
  /** Tells whether there is another row. It returns a promise only if it has to wait. */
  next(): boolean | Promise<boolean>;
  /** Writes the row that `next` has found. */
  write(writer: MessageWriter): void;
  /** @param rows the number of rows that were written since the last call. */
  tag(rows: number): string;
  /** Ends the current wait with an AbortError. */
  abort(): void;
  /** The rest of the rows is not needed. */
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
export function oneText(
  name: string,
  text: string,
  formats: readonly Format[],
  tag: string,
  type: PostgresType = TEXT_TYPE,
): Rows {
  let isWritten = false;
  return {
    describe: (writer) => writer.rowDescription([fieldOf(name, type)], formats),
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

/** The first rows, up to a number. The others stay for the next time. */
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
