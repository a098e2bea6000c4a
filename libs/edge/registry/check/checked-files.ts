import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { checkArrow } from '@app/arrow';
import { quoteText, type SourceEngine } from '@app/warehouse';
import { COMPRESSED } from '../../sources/engine-format.js';
import { tableFunction, type Source } from '../../sources/source.js';
import type { DescribedTable } from '../../table-description.js';

/** Checks those files of a table that it has not seen as they are now. @throws {MillraceError} that names one and says why */
export type CheckFiles = () => Promise<void>;

interface Terms {
  readonly engine: Pick<SourceEngine, 'statements'>;
  /** Absolute; for files that are made on the way. */
  readonly directory: string;
}

/**
 * The engine reads some files of Arrow inexactly and says nothing. An upload refuses those, and so
 * does a table of files on this machine. Each file is looked at once for as long as it is the same.
 * @returns undefined where there is nothing to look at
 */
export function fileChecks(
  { options }: DescribedTable,
  source: Source,
  { engine: { statements }, directory }: Terms,
): CheckFiles | undefined {
  const { files } = source;
  if ((options.format !== 'arrow' && options.format !== 'arrows') || files === undefined)
    return undefined;
  const checked = new Map<string, string>();
  let stamp: string | undefined;
  let running: Promise<void> | undefined;
  const check = async (): Promise<void> => {
    const before = (await source.stamp?.())?.text;
    if (before !== undefined && before === stamp) return;
    const listed = await statements.run(`SELECT DISTINCT _path FROM ${files} FORMAT JSONCompactEachRow`); // prettier-ignore
    const paths = listed.split('\n').filter((line) => line !== '');
    const gone = new Set(checked.keys());
    for (const line of paths) {
      const [path = ''] = JSON.parse(line) as readonly string[];
      gone.delete(path);
      const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
      const state = `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
      // The engine passes over files without a byte.
      if (size === 0n || checked.get(path) === state) continue;
      await checkUnpacked(path, directory, statements);
      checked.set(path, state);
    }
    for (const path of gone) checked.delete(path);
    stamp = before;
  };
  return () => {
    running ??= check().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** A file may be packed as a whole, which the engine tells by its ending. */
async function checkUnpacked(
  path: string,
  directory: string,
  statements: SourceEngine['statements'],
): Promise<void> {
  if (!COMPRESSED.includes(extname(path).slice(1))) return checkArrow(path, basename(path));
  const unpacked = join(directory, `${randomUUID()}.unpacked`);
  const bytes = (file: string): string =>
    tableFunction('file', [quoteText(file), 'RowBinary', quoteText('byte UInt8')]);
  try {
    await statements.run(`INSERT INTO FUNCTION ${bytes(unpacked)} SELECT byte FROM ${bytes(path)}`);
    await checkArrow(unpacked, basename(path));
  } finally {
    await rm(unpacked, { force: true });
  }
}
