import type { ColumnarFile } from '../../libs/acceptance/records/chunk.js';
import type { Judge } from '../../libs/acceptance/turns/fair-judge.js';
import { judgeChunk } from '../../libs/acceptance/judge/judge-chunk.js';
import {
  LINES_SETTINGS,
  selectBatches,
} from '../../libs/warehouse/sql/batches/batch-statements.js';

/** The judge, without threads and turns. */
export const JUDGE: Judge = { judge: judgeChunk };

const POSITION = { partition: 0, offset: 0n };

/** SQL of a batch's rows, as the writer reads them, without their positions. */
export function rowsOf({ file, columns, types, acceptedAt, times }: ColumnarFile): string {
  const rows = selectBatches({
    columns,
    types,
    batches: [{ position: POSITION, file, acceptedAt, times }],
  });
  return `(SELECT * EXCEPT (_partition, _offset, _row) FROM (${rows}))`;
}

/** A statement that reads them needs these settings. */
export const READING = `SETTINGS ${Object.entries(LINES_SETTINGS)
  .map(([name, value]) => `${name} = ${typeof value === 'string' ? `'${value}'` : value}`)
  .join(', ')}`;
