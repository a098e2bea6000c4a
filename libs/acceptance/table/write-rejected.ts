import { quoteText, REJECTED_COLUMNS, TIMESTAMP, type LocalEngine } from '@app/warehouse';
import type { AcceptOptions } from '../records/chunk.js';
import type { ColumnarFile } from '../records/chunk.js';

/**
 * Writes records that are refused as a batch for `_rejected`.
 * @param rejected SELECT that gives `number`, `reason` and `record` of each.
 * @param count how many it gives.
 */
export async function writeRejected(
  engine: LocalEngine,
  target: string,
  { rejected, count }: { readonly rejected: string; readonly count: number },
  { uploadId, stream, acceptedAt }: AcceptOptions,
): Promise<ColumnarFile> {
  await engine.run(
    `INSERT INTO FUNCTION file(${quoteText(target)}, Native)` +
      ` SELECT fromUnixTimestamp64Micro(toInt64(${acceptedAt}), 'UTC') AS _timestamp, ${quoteText(stream)} AS stream,` +
      ` ${quoteText(uploadId)} AS upload_id, toUInt64(number) AS line, reason, record` +
      ` FROM (${rejected})`,
  );
  return {
    file: target,
    rows: count,
    columns: [TIMESTAMP.name, ...REJECTED_COLUMNS.map((column) => column.name)],
  };
}
