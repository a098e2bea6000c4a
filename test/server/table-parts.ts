import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A part of a table as it lies on the disk. */
interface PartFolder {
  readonly path: string;
  readonly name: string;
}

/** The parts of the tables that have a column of this name; what goes away while we look is left out. */
export function partsOf(dataDirectory: string, column: string): readonly PartFolder[] {
  const store = join(dataDirectory, 'warehouse/store/store');
  return within(store)
    .flatMap((prefix) => within(prefix.path))
    .flatMap((table) => within(table.path))
    .filter(({ path }) => has(join(path, 'columns.txt'), column));
}

function within(folder: string): PartFolder[] {
  return unlessGone(() => readdirSync(folder), []).map((name) => ({
    path: join(folder, name),
    name,
  }));
}

const has = (file: string, column: string): boolean =>
  unlessGone(() => readFileSync(file, 'utf8'), '').includes(`\`${column}\` `);

function unlessGone<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return otherwise;
    throw error;
  }
}
