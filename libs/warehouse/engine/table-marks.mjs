// @ts-check
// The engine does not load a table at its start that has a mark beside its definition, and knows it
// all the same: that is what `DETACH TABLE … PERMANENTLY` leaves. `ATTACH TABLE` loads it and takes
// the mark away.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DATABASE = /^o_\w+\.sql$/;
const UUID = /UUID '([0-9a-f-]{36})'/;
const DEFINITION = '.sql';
const MARK = '.sql.detached';

/**
 * Marks all tables of organizations, or none of them: nobody else marks any. The engine must not run.
 * @param {string} data the engine's folder
 * @param {boolean} areLate
 */
export function markTables(data, areLate) {
  for (const folder of foldersOf(data)) {
    const files = new Set(entriesOf(folder));
    for (const file of files) {
      const path = join(folder, file);
      if (!areLate && file.endsWith(MARK)) rmSync(path);
      if (areLate && file.endsWith(DEFINITION) && !files.has(`${file}.detached`))
        writeFileSync(`${path}.detached`, '');
    }
  }
}

/**
 * Lists the folders with the definitions of a database's tables. A database without an id of its own
 * is of an old kind, and stays as it is.
 * @param {string} data @returns {string[]}
 */
function foldersOf(data) {
  const databases = join(data, 'metadata');
  return entriesOf(databases)
    .filter((name) => DATABASE.test(name))
    .flatMap((name) => {
      const [, uuid] = UUID.exec(readFileSync(join(databases, name), 'utf8')) ?? [];
      return uuid === undefined ? [] : [join(data, 'store', uuid.slice(0, 3), uuid)];
    });
}

/**
 * A database without tables has no folder.
 * @param {string} folder @returns {string[]}
 */
function entriesOf(folder) {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return [];
    throw error;
  }
}
