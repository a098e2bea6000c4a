import { join } from 'node:path';
import { footerOf, refuseWideDeltas, type Footer } from '@app/parquet';
import { MillraceError } from '@app/platform';
import type { SourceEngine } from '@app/warehouse';
import { listedPaths } from '../../sources/listed-paths.js';
import type { Source } from '../../sources/source.js';

type Schema = Footer['schema'];

/** The most files of a lake that are looked at. */
export const FILES_MAX = 1_000;

/**
 * The schemas of a lake's files on this machine, which may be in any folder; one is empty where its
 * file is no Parquet that can be read.
 */
export async function schemasOfLake(
  source: Source,
  statements: SourceEngine['statements'],
): Promise<readonly Schema[]> {
  const found: Schema[] = [];
  for (const path of await listedPaths(source.call(undefined), statements, FILES_MAX))
    found.push((await readableFooter(join('/', path)))?.schema ?? []);
  return found;
}

/**
 * The schema of a file whose values are read as they are.
 * @throws {BrokenFileError} where the engine would take values of it for others
 */
export async function schemaOfSound(file: string): Promise<Schema> {
  const footer = await readableFooter(file);
  if (footer) await refuseWideDeltas(file, footer);
  return footer?.schema ?? [];
}

const readableFooter = (file: string): Promise<Footer | undefined> =>
  footerOf(file, file).catch((error: unknown) => {
    // A fault of it is told when its columns are asked for.
    const isOfFile =
      error instanceof MillraceError || (error instanceof Error && 'syscall' in error);
    if (isOfFile) return undefined;
    throw error;
  });
