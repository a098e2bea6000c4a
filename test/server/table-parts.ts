import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A part of a table as it lies on the disk of a stopped server. */
export interface PartFolder {
  readonly path: string;
  readonly name: string;
}

/** The parts of the tables that have a column of this name. */
export function partsOf(dataDirectory: string, column: string): readonly PartFolder[] {
  const store = join(dataDirectory, 'warehouse/store/store');
  const tables = readdirSync(store).flatMap((prefix) =>
    readdirSync(join(store, prefix)).map((uuid) => join(store, prefix, uuid)),
  );
  return tables.flatMap((table) =>
    readdirSync(table)
      .map((name) => ({ path: join(table, name), name }))
      .filter(({ path }) => has(join(path, 'columns.txt'), column)),
  );
}

const has = (file: string, column: string): boolean =>
  existsSync(file) && readFileSync(file, 'utf8').includes(`\`${column}\` `);
