import { certain } from '@app/platform';
import type { MessageWriter } from '../protocol/message-writer.js';
import { PostgresError } from '../protocol/protocol-error.js';
import { readAnswer } from '../catalog/catalog-answer.js';
import type { Rows } from './rows.js';

/** @param bytes PostgreSQL's messages. @throws {PostgresError} the error in them */
export function catalogRows(bytes: Buffer): Rows {
  const { columns, rows, tag, failure } = readAnswer(bytes);
  if (failure) throw catalogFailure(failure);
  let at = 0;
  return {
    describe: (writer) => void (columns ? writer.bytes(columns) : writer.empty('n')),
    next: () => at < rows.length,
    write: (writer: MessageWriter) => {
      writer.bytes(certain(rows[at], 'row to write'));
      at += 1;
    },
    tag: (count) => tag.replace(/\d+$/, String(count)),
    abort: () => undefined,
    close: () => undefined,
  };
}

export function catalogFailure(fields: ReadonlyMap<string, string>): PostgresError {
  const position = Number(fields.get('P') ?? 0);
  const hint = fields.get('H');
  return new PostgresError(fields.get('C') ?? 'XX000', fields.get('M') ?? '', {
    ...(position > 0 && { position: position - 1 }),
    ...(hint !== undefined && { hint }),
  });
}
