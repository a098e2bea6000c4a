import { MillraceError } from '@app/platform';

const NEWLINE = 0x0a;

interface RecordLimit {
  readonly maxRecordBytes: number;
  /** Bytes of the first record that came before this piece. */
  readonly begun?: number;
  /** Number of the first record. */
  readonly line?: number;
}

/**
 * Looks at lines only where one of them may be too long.
 * @param piece one record a line, the first and the last not necessarily whole
 * @throws {MillraceError} UPLOAD_TOO_LARGE
 */
export function refuseLongRecord(
  piece: Buffer,
  { maxRecordBytes, begun = 0, line = 1 }: RecordLimit,
): void {
  if (begun + piece.length <= maxRecordBytes) return;
  let [from, before, number] = [0, begun, line];
  for (;;) {
    const end = piece.indexOf(NEWLINE, from);
    const bytes = before + (end < 0 ? piece.length : end) - from;
    if (bytes > maxRecordBytes) throw longRecord('record', number, maxRecordBytes);
    if (end < 0) return;
    [from, before, number] = [end + 1, 0, number + 1];
  }
}

export const longRecord = (
  what: 'record' | 'row',
  number: number,
  maxRecordBytes: number,
): MillraceError =>
  new MillraceError(
    'UPLOAD_TOO_LARGE',
    `${what} ${number} is longer than ${maxRecordBytes} bytes, the most a record may have`,
  );
