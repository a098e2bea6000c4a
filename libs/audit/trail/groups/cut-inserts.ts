import type { AuditRow } from '@app/warehouse';

/** All rows of an insert are in memory, here and in the engine, and become one part. */
export const INSERT_ROWS_MAX = 10_000;
/** A character may take three bytes, and as many again if it has to be escaped. */
export const INSERT_CHARACTERS_MAX = 8 * 1024 * 1024;
/**
 * The approximate number of characters of a row beside its data. Each of these fields is bounded.
 */
const OTHERS = 800;

/** Cuts the rows of one trail into inserts, in their order. A row that is too long stands alone. */
export function cutInserts(rows: readonly AuditRow[]): readonly (readonly AuditRow[])[] {
  const inserts: AuditRow[][] = [];
  let current: AuditRow[] = [];
  let characters = 0;
  for (const row of rows) {
    const length = row.data.length + OTHERS;
    const isFull =
      current.length === INSERT_ROWS_MAX || characters + length > INSERT_CHARACTERS_MAX;
    if (isFull && current.length > 0) {
      inserts.push(current);
      [current, characters] = [[], 0];
    }
    current.push(row);
    characters += length;
  }
  if (current.length > 0) inserts.push(current);
  return inserts;
}
