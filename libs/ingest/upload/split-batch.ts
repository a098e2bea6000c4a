import { stat } from 'node:fs/promises';
import { MillraceError } from '@app/platform';
import { quoteText, type LocalEngine } from '@app/warehouse';
import type { ColumnarFile } from '../accept/chunk.js';

const ENDING = '.native.zst';

/**
 * Cuts a columnar file by rows until each piece has at most `bytesMax` bytes; one that has no more
 * anyway stays as it is.
 * @throws {MillraceError} UPLOAD_TOO_LARGE when a single row has more.
 */
export async function splitBatch(
  engine: LocalEngine,
  batch: ColumnarFile,
  bytesMax: number,
): Promise<readonly ColumnarFile[]> {
  if (bytesMax === Number.POSITIVE_INFINITY) return [batch];
  const { size } = await stat(batch.file);
  if (size <= bytesMax) return [batch];
  if (batch.rows === 1)
    throw new MillraceError(
      'UPLOAD_TOO_LARGE',
      `a record has ${size} bytes when compressed; the ingest queue takes at most ${bytesMax} at once`,
    );
  const pieces = Math.min(batch.rows, Math.ceil((size / bytesMax) * 1.2) + 1);
  const rows = Math.ceil(batch.rows / pieces);
  const split: ColumnarFile[] = [];
  for (let first = 0; first < batch.rows; first += rows) {
    const piece = {
      file: batch.file.slice(0, -ENDING.length).concat(`.${first}${ENDING}`),
      rows: Math.min(rows, batch.rows - first),
      columns: batch.columns,
    };
    await engine.run(
      `INSERT INTO FUNCTION file(${quoteText(piece.file)}, Native)` +
        ` SELECT * FROM file(${quoteText(batch.file)}, Native) LIMIT ${piece.rows} OFFSET ${first}`,
    );
    split.push(...(await splitBatch(engine, piece, bytesMax)));
  }
  return split;
}
