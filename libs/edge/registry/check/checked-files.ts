import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { checkArrow } from '@app/arrow';
import { BrokenFileError } from '@app/parquet';
import { MillraceError } from '@app/platform';
import { namedByHeader, quoteText, type SourceEngine } from '@app/warehouse';
import { COMPRESSED } from '../../sources/engine-format.js';
import { listedPaths } from '../../sources/listed-paths.js';
import { tableFunction, type Source } from '../../sources/source.js';
import type { DescribedTable, TableOptions } from '../../table-description.js';
import { writtenNames } from '../prepare/header-names.js';
import { checkCsv } from './csv-bytes.js';

/**
 * Checks the files of a table that are new, or have changed since their last check.
 * @throws {MillraceError} that names one and says why
 */
export type CheckFiles = () => Promise<void>;

interface Check {
  /** @param name what to call the file in a message. @throws {MillraceError} */
  look(file: string, name: string): Promise<void>;
  /** A statement that returns 1 if most files need no check; absent: there is none. */
  looksWell?(file: string): string;
}

/** Quotes come in pairs, and CR stands only at the ends of lines. */
const looksWell = (file: string): string =>
  `SELECT sum(countSubstrings(line, '"')) % 2 = 0 AND max(match(line, '\\r.')) = 0 FROM ${tableFunction('file', [quoteText(file), 'LineAsString', quoteText('line String')])} FORMAT TSVRaw`;

function checkOf(options: TableOptions): Check | undefined {
  switch (options.format) {
    case 'arrow':
    case 'arrows':
      return { look: checkArrow };
    case 'csv':
      return {
        look: async (file, name) => {
          try {
            await checkCsv(file, options.delimiter);
          } catch (error) {
            if (!(error instanceof BrokenFileError)) throw error;
            throw new MillraceError('MALFORMED_BODY', `${name} is no CSV that can be read: ${error.message}`, { cause: error }); // prettier-ignore
          }
        },
        looksWell,
      };
    default:
      return undefined;
  }
}

interface Terms {
  readonly engine: Pick<SourceEngine, 'statements'>;
  /** An absolute path of the folder for temporary files. */
  readonly directory: string;
}

/**
 * The engine reads some files of Arrow inexactly and says nothing, and passes over what is broken in
 * CSV. An upload refuses those, and so does a table of files on this machine. Each file is looked at
 * once for as long as it is the same.
 * @returns undefined where there is nothing to look at
 */
export function fileChecks(
  { options }: DescribedTable,
  source: Source,
  { engine: { statements }, directory }: Terms,
): CheckFiles | undefined {
  const { files } = source;
  const check = checkOf(options);
  const { names, header } = source;
  if (!check || files === undefined) return undefined;
  const checked = new Map<string, string>();
  let stamp: string | undefined;
  let running: Promise<void> | undefined;
  const checkAll = async (): Promise<void> => {
    const before = (await source.stamp?.())?.text;
    if (before !== undefined && before === stamp) return;
    const gone = new Set(checked.keys());
    for (const path of await listedPaths(files, statements)) {
      gone.delete(path);
      const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
      const state = `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
      // The engine skips files without a byte.
      if (size === 0n || checked.get(path) === state) continue;
      await checkUnpacked(path, check, { directory, statements });
      if (names && header) {
        const call = tableFunction('file', [quoteText(path), 'CSV']);
        const written = namedByHeader(await writtenNames(call, header, statements));
        if (written.length > 0 && JSON.stringify(written) !== JSON.stringify(names))
          throw new MillraceError('MALFORMED_BODY', `${basename(path)} has other columns than those that were read first`); // prettier-ignore
      }
      checked.set(path, state);
    }
    for (const path of gone) checked.delete(path);
    stamp = before;
  };
  return () => {
    running ??= checkAll().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** A file may be compressed as a whole. The engine recognizes that by its ending. */
async function checkUnpacked(
  path: string,
  check: Check,
  { directory, statements }: Pick<Terms, 'directory'> & Pick<SourceEngine, 'statements'>,
): Promise<void> {
  if (!COMPRESSED.includes(extname(path).slice(1))) return check.look(path, basename(path));
  const unpacked = join(directory, `${randomUUID()}.unpacked`);
  const bytes = (file: string): string =>
    tableFunction('file', [quoteText(file), 'RowBinary', quoteText('byte UInt8')]);
  try {
    if (check.looksWell && (await statements.run(check.looksWell(path))).trim() === '1') return;
    // One thread keeps the bytes in their order.
    await statements.run(
      `INSERT INTO FUNCTION ${bytes(unpacked)} SELECT byte FROM ${bytes(path)} SETTINGS max_threads = 1, max_insert_threads = 1`,
    );
    await check.look(unpacked, basename(path));
  } finally {
    await rm(unpacked, { force: true });
  }
}
