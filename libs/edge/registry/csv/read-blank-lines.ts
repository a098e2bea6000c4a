import { randomUUID } from 'node:crypto';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { engineFormat } from '../../sources/engine-format.js';
import { listedPaths } from '../../sources/listed-paths.js';
import { SourceError } from '../../sources/source-error.js';
import type { DescribedTable } from '../../table-description.js';
import { BlankLinesError } from './blank-lines-error.js';
import { copyWithoutBlankLines } from './copy-without-blank-lines.js';
import { sourceOfFiles, type OpenedSource, type Workshop } from '../prepare/open-source.js';
import { halfOfFree } from '../temporary-room.js';

/**
 * Reads a source as it is, and from temporary files without its blank lines if it has some, because
 * the engine makes rows of them, or fails.
 */
export async function orWithoutBlankLines<Result>(
  described: DescribedTable,
  source: OpenedSource,
  workshop: Workshop,
  read: (source: OpenedSource) => Promise<Result>,
): Promise<Result> {
  try {
    return await read(source);
  } catch (error) {
    if (!(error instanceof BlankLinesError)) throw error;
    const folder = join(workshop.directory, `${randomUUID()}-lines`);
    try {
      return await read(await cleaned(described, source, { ...workshop, folder, error }));
    } catch (failure) {
      throw countedOtherwise(failure);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** The lines of a temporary file are not those that its author sees. */
function countedOtherwise(failure: unknown): unknown {
  const isOfLine = failure instanceof Error && /\bline \d/.test(failure.message);
  if (!isOfLine) return failure;
  return new SourceError(`${failure.message}; blank lines are not counted`, { cause: failure });
}

/** Files of the same names, within a folder, with links to those that have no blank lines. */
async function cleaned(
  described: DescribedTable,
  { csv, files = '', path = '', shown, stamp }: OpenedSource,
  workshop: Workshop & { readonly folder: string; readonly error: BlankLinesError },
): Promise<OpenedSource> {
  const { engine, folder, error } = workshop;
  const format = engineFormat(described.options);
  if (!csv || !format) throw error;
  const room = { bytes: await halfOfFree(workshop.directory) };
  for (const file of await listedPaths(files, engine.statements)) {
    const target = join(folder, file);
    await mkdir(dirname(target), { recursive: true });
    if (error.paths.has(file)) await copyWithoutBlankLines(file, target, csv.delimiter, room);
    else await symlink(file, target);
  }
  const place = { kind: 'local', path: join(folder, path) } as const;
  return {
    ...(await sourceOfFiles(described, place, format, workshop)),
    // Nobody changes the temporary files.
    ...{ shown, stamp: stamp ?? (() => Promise.resolve(undefined)), unpacked: folder },
  };
}
