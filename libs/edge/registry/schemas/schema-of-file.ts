import { footerOf } from '@app/parquet';
import { MillraceError } from '@app/platform';

/** The schema of a file on this machine; empty where it is no Parquet that can be read. */
export async function schemaOfFile(
  file: string,
): Promise<Awaited<ReturnType<typeof footerOf>>['schema']> {
  const footer = await footerOf(file, file).catch((error: unknown) => {
    // A fault of it is told when its columns are asked for.
    const isOfFile =
      error instanceof MillraceError || (error instanceof Error && 'syscall' in error);
    if (isOfFile) return undefined;
    throw error;
  });
  return footer?.schema ?? [];
}
