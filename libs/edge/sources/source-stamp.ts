import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isGlob } from './place.js';

/** A stamp shows whether files have changed. */
export interface SourceStamp {
  readonly text: string;
  /** The size of all files together. */
  readonly bytes: number;
  /**
   * The time when the last of them was written, by its own time or the system's; milliseconds since
   * 1970.
   */
  readonly writtenAt: number;
}

/** If there are more files, checking each of them every second costs too much. */
const FILES_MAX = 200;
/** A folder may hold so many other entries beside them. */
const ENTRIES_MAX = 2_000;

/**
 * Reads the stamp of a file, or of the files of a folder that have the endings.
 * @returns undefined for a place without a stamp: a glob, many files, links, or nothing
 */
export async function stampOf(
  path: string,
  endings: readonly string[],
): Promise<SourceStamp | undefined> {
  if (isGlob(path)) return undefined;
  try {
    const files = (await stat(path)).isDirectory() ? await filesIn(path, endings) : [path];
    if (!files || files.length === 0) return undefined;
    const all = await Promise.all(files.map((file) => stat(file, { bigint: true })));
    return {
      // A file that was rewritten in place has the same name, and may have the same size and
      // modification time, which anybody can set. Nobody can set the time of its last status
      // change.
      text: all
        .map(
          ({ ino, size, mtimeNs, ctimeNs }, index) =>
            `${files[index]} ${ino} ${size} ${mtimeNs} ${ctimeNs}`,
        )
        .sort()
        .join('\n'),
      bytes: all.reduce((sum, { size }) => sum + Number(size), 0),
      writtenAt: Math.max(
        ...all.map(({ mtimeMs, ctimeMs }) => Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs)),
      ),
    };
  } catch {
    return undefined;
  }
}

async function filesIn(folder: string, endings: readonly string[]): Promise<string[] | undefined> {
  const files: string[] = [];
  let entries = 0;
  for await (const entry of await opendir(folder, { recursive: true })) {
    if ((entries += 1) > ENTRIES_MAX) return undefined;
    if (entry.isSymbolicLink()) return undefined;
    if (!entry.isFile() || !endings.some((ending) => entry.name.endsWith(`.${ending}`))) continue;
    if (files.push(join(entry.parentPath, entry.name)) > FILES_MAX) return undefined;
  }
  return files;
}
