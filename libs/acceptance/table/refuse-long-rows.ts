import { quoteText, type LocalEngine } from '@app/warehouse';
import { longRecord } from '../records/record-limit.js';
import type { RowChunk } from './spool-rows.js';

/**
 * Refuses a row whose values have too many bytes. Rows are looked at only if one of them may be too
 * long; with the usual limit, that never happens.
 * @throws {MillraceError} UPLOAD_TOO_LARGE
 */
export async function refuseLongRows(
  engine: LocalEngine,
  { file, firstLine, bytes }: RowChunk,
  maxRecordBytes: number,
): Promise<void> {
  if (bytes <= maxRecordBytes) return;
  const answer = await engine.run(
    `SELECT minIf(${firstLine} + number, bytes > ${maxRecordBytes}) FROM` +
      ` (SELECT rowNumberInAllBlocks() AS number, byteSize(*) AS bytes FROM file(${quoteText(file)}, Native))`,
  );
  const number = Number(answer.trim());
  if (number > 0) throw longRecord('row', number, maxRecordBytes);
}
