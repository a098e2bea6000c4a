import { WarehouseError } from '@app/warehouse';
import { settingsClause } from '../../sources/source.js';
import {
  makeTable,
  MAKING_BYTES,
  sizeOf,
  type Copy,
  type CopyTerms,
  type RowsInPlace,
} from '../prepare/copies.js';

/** A copy in memory of a table that was asked again. It takes nothing of the other allowances. */
export type AskedCopy = Required<Copy>;

/** The engine's error number for a statement that takes more memory than it may. */
const MEMORY_EXCEEDED = 241;

/**
 * Copies rows by one thread, so that others who ask meanwhile are hardly delayed.
 * @returns undefined: they take more than is left
 */
export async function makeAskedCopy(
  { select, settings, footers }: RowsInPlace,
  terms: CopyTerms,
): Promise<AskedCopy | undefined> {
  const { statements } = terms.engine;
  const { asked } = terms.holding;
  if (footers !== undefined) {
    const sql = `SELECT sum(total_uncompressed_size) FROM ${footers}${settingsClause(settings)}`;
    if (Number(await statements.run(`${sql} FORMAT TSVRaw`)) > asked.left) return undefined;
  }
  const most = { max_threads: '1', max_memory_usage: `${asked.left + MAKING_BYTES}` };
  const rows = { select, settings: { ...settings, ...most }, bytes: undefined };
  const table = await makeTable('Memory', rows, statements).catch((error: unknown) => {
    if (error instanceof WarehouseError && error.code === MEMORY_EXCEEDED) return undefined;
    throw error;
  });
  if (table === undefined) return undefined;
  const memoryBytes = await sizeOf(table, statements);
  const copy = { table, bytes: 0, memoryBytes };
  if (asked.take(memoryBytes)) return copy;
  await statements.run(`DROP TABLE IF EXISTS ${table}`);
  return undefined;
}

/** Drops such a copy, and gives back its bytes. It must be called once. */
export async function dropAskedCopy(
  { table, memoryBytes }: AskedCopy,
  { engine, holding }: CopyTerms,
): Promise<void> {
  await engine.statements.run(`DROP TABLE IF EXISTS ${table}`);
  holding.asked.giveBack(memoryBytes);
}
