import type { Table } from '../api/schema.js';

const FROM = /\bFROM\s+(?:`([^`]+)`|"([^"]+)"|([\p{L}_][\p{L}\p{N}_]*))/giu;

/** Finds the first stream that a statement reads whose records have times. */
export function streamOf(sql: string, tables: readonly Table[]): Table | undefined {
  for (const [, ticked, quoted, bare] of sql.matchAll(FROM)) {
    const name = ticked ?? quoted ?? bare;
    const table = tables.find((each) => each.name === name);
    if (table?.fields.some((field) => field.name === '_timestamp')) return table;
  }
  return undefined;
}
