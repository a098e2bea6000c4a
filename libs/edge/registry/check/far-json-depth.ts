import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BrokenFileError } from '@app/parquet';
import { quoteText, type SourceEngine } from '@app/warehouse';
import { INFERENCE_BYTES } from '../../sources/engine-format.js';
import { SourceError } from '../../sources/source-error.js';
import { settingsClause, tableFunction, type Source } from '../../sources/source.js';
import { checkJsonDepth } from './json-depth.js';
import { largeFields } from './json-places.js';

/** The engine looks for types in the beginning of each file; so many beginnings are looked at here. */
const FILES_MAX = 8;
const BYTE = [{ name: 'byte', type: 'UInt8' }] as const;

/**
 * Refuses JSON of another machine that is too deep or too wide for the engine to find out its types.
 * Its bytes are fetched for that, as many as the engine will look at.
 * @param bytes reads the files as rows of a byte
 * @returns the names of fields that are too large to look for their types
 * @throws {SourceError}
 */
export async function refuseFarDepth(
  bytes: Source,
  {
    engine,
    directory,
  }: { readonly engine: Pick<SourceEngine, 'statements'>; readonly directory: string },
): Promise<readonly string[]> {
  const file = join(directory, `${randomUUID()}.bytes`);
  const into = tableFunction('file', [quoteText(file), 'RowBinary', quoteText('byte UInt8')]);
  const most = INFERENCE_BYTES * (bytes.many ? FILES_MAX : 1);
  // One thread keeps the bytes in their order.
  const settings = settingsClause({ ...bytes.settings, max_threads: '1', max_insert_threads: '1' });
  try {
    await engine.statements.run(
      `INSERT INTO FUNCTION ${into} SELECT byte FROM ${bytes.call(BYTE)} LIMIT ${most}${settings}`,
    );
    await checkJsonDepth(file);
    return await largeFields(file);
  } catch (error) {
    if (error instanceof SourceError) throw error;
    if (error instanceof BrokenFileError) throw new SourceError(error.message, { cause: error });
    // A file that cannot be fetched fails with its reason when its columns are asked for.
    return [];
  } finally {
    await rm(file, { force: true });
  }
}
