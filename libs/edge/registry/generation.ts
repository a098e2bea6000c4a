import { randomBytes } from 'node:crypto';
import { quoteIdentifier, type Column, type SourceEngine } from '@app/warehouse';
import { countView } from './prepare/count-view.js';
import { structureOf } from '../sources/source.js';
import type { PreparedTable } from './prepare/prepare-table.js';

/** A set of tables that belong together: a database of the engine with a name for each. */
export interface Generation {
  /** The name is random, so that no statement can use it. */
  readonly database: string;
  readonly tables: ReadonlyMap<string, PreparedTable>;
}

/**
 * Makes the views of a generation; nothing else sees them before it is told the database's name. A
 * view reads with its own rights, so its readers need no rights to the tables behind it. A table
 * with a copy gets a second name for the copy instead, because a view costs each statement half a
 * millisecond. The database keeps nothing on disk: keys to object stores stand in the views.
 */
export async function createGeneration(
  tables: ReadonlyMap<string, PreparedTable>,
  statements: SourceEngine['statements'],
): Promise<Generation> {
  const generation = { database: `o_${randomBytes(16).toString('hex')}`, tables };
  await statements.run(`CREATE DATABASE ${generation.database} ENGINE = Memory`);
  try {
    await nameTables(generation, statements);
    return generation;
  } catch (error) {
    await dropGeneration(generation, statements).catch(() => undefined);
    throw error;
  }
}

async function nameTables(
  { database, tables }: Generation,
  statements: SourceEngine['statements'],
): Promise<void> {
  const view = (name: string, columns: readonly Column[], select: string): Promise<unknown> =>
    statements.run(
      `CREATE VIEW ${database}.${name} (${structureOf(columns)}) SQL SECURITY NONE AS ${select}`,
    );
  // A view with declared columns is created without reading its files, so a table whose files are
  // lost does not affect the others.
  for (const [name, { select, count, columns, copy }] of tables) {
    if (copy) {
      const [at, table] = copy.table.split('.');
      await statements.run(
        `CREATE TABLE ${database}.${quoteIdentifier(name)} ENGINE = Alias(${at}, ${table})`,
      );
      continue;
    }
    await view(quoteIdentifier(name), columns, select);
    if (count !== undefined) await view(countView(name), [{ name: 'n', type: 'UInt64' }], count);
  }
}

export async function dropGeneration(
  { database }: Generation,
  statements: SourceEngine['statements'],
): Promise<void> {
  await statements.run(`DROP DATABASE ${database}`);
}
