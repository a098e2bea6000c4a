import { MessageWriter } from '../protocol/message-writer.js';
import type { Rows } from '../session/rows.js';
import { copiedRow, lineOf, namesOf } from './copied-row.js';
import type { CopyOptions } from './copy-statement.js';

const SIGNATURE = Buffer.concat([
  Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'),
  // No flags, and no further header.
  Buffer.alloc(8),
]);
const NOTHING = Buffer.alloc(0);
const TRAILER = Buffer.from([0xff, 0xff]);

/**
 * Rows as COPY sends them. A client is told how they come with the first of them, since a
 * description of the statement has no columns.
 * @param writer of the session
 */
export function copiedRows(rows: Rows, writer: MessageWriter, options: CopyOptions): Rows {
  const scratch = new MessageWriter();
  const isBinary = options.format === 'binary';
  let isBegun = false;
  /** Clients expect the signature in one message with what comes first behind it. */
  let before = isBinary ? SIGNATURE : NOTHING;
  const data = (bytes: Buffer): void => {
    writer.begin('d').bytes(before).bytes(bytes).end();
    before = NOTHING;
  };
  const begin = (): void => {
    isBegun = true;
    rows.describe(scratch);
    const names = namesOf(scratch.take());
    writer
      .begin('H')
      .bytes(Buffer.from([isBinary ? 1 : 0]))
      .int16(names.length);
    names.forEach(() => writer.int16(isBinary ? 1 : 0));
    writer.end();
    if (!isBinary && options.hasHeader) data(lineOf(names, options));
  };
  const found = (isThere: boolean): boolean => {
    if (!isBegun) begin();
    if (isThere) return true;
    if (isBinary) data(TRAILER);
    writer.empty('c');
    return false;
  };
  return {
    describe: (to) => to.empty('n'),
    next: () => {
      const next = rows.next();
      return typeof next === 'boolean' ? found(next) : next.then(found);
    },
    write: () => {
      rows.write(scratch);
      data(copiedRow(scratch.take(), options));
    },
    tag: (count) => `COPY ${count}`,
    abort: () => rows.abort(),
    close: () => rows.close(),
  };
}
