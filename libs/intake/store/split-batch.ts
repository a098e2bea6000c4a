import { stat } from 'node:fs/promises';
import { MillraceError } from '@app/platform';
import { quoteText, type LocalEngine } from '@app/warehouse';
import type { ColumnarFile } from '@app/acceptance';
import { compressLines, cutLines, isPlain } from './cut-lines.js';

const ENDING = '.native.zst';

/**
 * Cuts the file of a batch by rows until each piece has at most `bytesMax` bytes. A small file
 * stays as it is. Uncompressed lines are compressed first.
 * @throws {MillraceError} UPLOAD_TOO_LARGE when a single row has more.
 */
export async function splitBatch(
  engine: LocalEngine,
  batch: ColumnarFile,
  bytesMax: number,
): Promise<readonly ColumnarFile[]> {
  if (bytesMax === Number.POSITIVE_INFINITY) return [batch];
  const size = batch.content?.length ?? (await stat(batch.file)).size;
  if (size <= bytesMax) return [batch];
  if (isPlain(batch)) return splitBatch(engine, await compressLines(batch), bytesMax);
  if (batch.rows === 1)
    throw new MillraceError(
      'UPLOAD_TOO_LARGE',
      `a record has ${size} bytes when compressed; the ingest queue takes at most ${bytesMax} at once`,
    );
  const pieces = Math.min(batch.rows, Math.ceil((size / bytesMax) * 1.2) + 1);
  const rows = Math.ceil(batch.rows / pieces);
  const cut = batch.types ? await cutLines(batch, rows) : cutColumns(engine, batch, rows);
  const split: ColumnarFile[] = [];
  for await (const piece of cut) split.push(...(await splitBatch(engine, piece, bytesMax)));
  return split;
}

/** Each piece exists when it is yielded. */
async function* cutColumns(
  engine: LocalEngine,
  batch: ColumnarFile,
  rows: number,
): AsyncGenerator<ColumnarFile> {
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
    yield piece;
  }
}
