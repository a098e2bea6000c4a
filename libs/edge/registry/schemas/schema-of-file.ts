import { footerOf, refuseWideDeltas, type Footer } from '@app/parquet';
import { MillraceError } from '@app/platform';

type Schema = Footer['schema'];

/** The schema of a file on this machine; empty where it is no Parquet that can be read. */
export const schemaOfFile = async (file: string): Promise<Schema> =>
  (await readableFooter(file))?.schema ?? [];

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
