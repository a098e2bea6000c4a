import { BrokenFileError, footerOf, MISREAD_DECIMAL, misreadDecimals } from '@app/parquet';
import { MillraceError } from '@app/platform';

/**
 * Refuses a file of Parquet with decimals that the engine would read as others.
 * @param declared the names of the columns that are read; absent: all are
 * @throws {BrokenFileError}
 */
export async function refuseMisreadDecimals(
  file: string,
  declared: readonly string[] | undefined,
): Promise<void> {
  const footer = await footerOf(file, file).catch((error: unknown) => {
    // A file that is none, or is damaged, is told when its columns are asked for.
    if (error instanceof MillraceError) return undefined;
    throw error;
  });
  const found = misreadDecimals(footer?.schema ?? []);
  const column = found.find((name) => declared?.includes(name) ?? true);
  if (column !== undefined)
    throw new BrokenFileError(`column ${JSON.stringify(column)} ${MISREAD_DECIMAL}`);
}
