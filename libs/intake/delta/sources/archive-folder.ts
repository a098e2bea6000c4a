import { brokenTable, LOG, type LocalCopy, type TableFolder } from './table-folder.js';
import type { Unpacked } from './unpack-archive.js';

/** Finds the table in an archive: its only folder with a log. */
export class ArchiveFolder implements TableFolder {
  private readonly root: string;

  /** @throws {MillraceError} MALFORMED_BODY when there is no table in it, or more than one. */
  constructor(private readonly files: Unpacked) {
    const roots = new Set([...files.keys()].flatMap(rootOf));
    const [root, another] = roots;
    if (root === undefined)
      throw brokenTable(
        'there is no folder _delta_log in the archive; send the whole folder of a table',
      );
    if (another !== undefined)
      throw brokenTable(
        `there is more than one table in the archive, in ${JSON.stringify(root)} and ${JSON.stringify(another)}; send one`,
      );
    this.root = root;
  }

  logNames(): Promise<readonly string[]> {
    const prefix = `${this.root}${LOG}/`;
    const names = [...this.files.keys()]
      .filter((path) => path.startsWith(prefix))
      .map((path) => path.slice(prefix.length));
    return Promise.resolve(names.filter((name) => !name.includes('/')));
  }

  fetch(path: string): Promise<LocalCopy | undefined> {
    const found = this.files.get(`${this.root}${path}`);
    return Promise.resolve(found && { ...found, release: () => Promise.resolve() });
  }
}

/** Gives the path before the log. It ends in `/` unless it is empty. */
function rootOf(path: string): string[] {
  const [match, root = ''] = /^(.+\/)?_delta_log\/[^/]+$/.exec(path) ?? [];
  // The folder in which macOS stores metadata of files.
  return match !== undefined && !root.startsWith('__MACOSX/') ? [root] : [];
}
