import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { MillraceError, type RequestOrganization } from '@app/platform';
import type { DeltaSources } from './sources/delta-sources.settings.js';
import { LocalEngine, quoteText } from '@app/warehouse';
import { type DataFile, readParquetFooter, type TableSource } from '@app/acceptance';
import { ArchiveFolder } from './sources/archive-folder.js';
import { writeDeletedPositions } from './log/deletion-vector.js';
import { openLocation } from './sources/locations.js';
import type { AddFile } from './log/log-actions.js';
import { partitionValue } from './partition-value.sql.js';
import { readLog, type Snapshot } from './log/read-log.js';
import type { TableBytesOptions } from './sources/table-bytes.js';
import { brokenTable, fetchNeeded, pathInTable, type TableFolder } from './sources/table-folder.js';
import { physicalNames, tableSchema, type TableSchema } from './log/table-schema.js';
import { unpackArchive } from './sources/unpack-archive.js';

/** The token of a value of type {@link DeltaSources}. */
export const DELTA_SOURCES = Symbol('DeltaSources');

interface OpenOptions extends TableBytesOptions {
  /** The engine, as the upload may use it in turns. */
  readonly engine: LocalEngine;
  readonly organization: RequestOrganization;
  /** The upload's directory; it is deleted with its content. */
  readonly directory: string;
  /** The version of the table; undefined: the newest. */
  readonly version: number | undefined;
}

const reference = z.strictObject({
  uri: z.string(),
  version: z.number().int().nonnegative().optional(),
});
const REFERENCE_BYTES_MAX = 64 * 1024;

/** Delta tables that are uploaded, or that are at an allowed place. */
@Injectable()
export class DeltaTables {
  constructor(@Inject(DELTA_SOURCES) private readonly sources: DeltaSources) {}

  /**
   * @param body a file: an archive of the table's folder, or JSON that says where the table is.
   * @throws {MillraceError} when it is neither, is not allowed, or the table is broken.
   */
  async open(body: string, options: OpenOptions): Promise<TableSource> {
    const { directory, maxBytes, room } = options;
    const named = await referenceIn(body);
    const folder = named
      ? await openLocation(named.uri, this.sources, {
          organization: options.organization.name,
          directory,
          maxBytes,
          room,
        })
      : new ArchiveFolder(await unpackArchive(body, { directory, maxBytes, room }));
    const version = named?.version ?? options.version;
    const snapshot = await readLog(folder, options.engine, { directory, version });
    const schema = tableSchema(snapshot.metaData);
    return { fields: schema.fields, files: dataFiles(folder, snapshot, schema, options) };
  }
}

async function referenceIn(body: string): Promise<z.infer<typeof reference> | undefined> {
  const handle = await open(body);
  try {
    const head = Buffer.alloc(REFERENCE_BYTES_MAX);
    const { bytesRead } = await handle.read(head, 0, head.length, 0);
    const text = head.toString('utf8', 0, bytesRead).trim();
    return text.startsWith('{') ? reference.parse(JSON.parse(text)) : undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error;
    throw new MillraceError(
      'MALFORMED_BODY',
      'want an archive of a Delta table\'s folder, or {"uri":"s3://…","version":1}',
      { cause: error },
    );
  } finally {
    await handle.close();
  }
}

async function* dataFiles(
  folder: TableFolder,
  { metaData, files }: Snapshot,
  schema: TableSchema,
  { directory, maxBytes }: OpenOptions,
): AsyncGenerator<DataFile> {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > maxBytes)
    throw new MillraceError(
      'UPLOAD_TOO_LARGE',
      `the table's files have ${bytes} bytes; an upload may have at most ${maxBytes}`,
    );
  const names = physicalNames(metaData);
  const deleted = join(directory, 'deleted-rows.bin');
  for (const added of files) {
    const path = pathInTable(added.path);
    const { file, release } = await fetchNeeded(folder, path, added.size);
    const { fields: held, rows, objects } = await readParquetFooter(file, path);
    if (schema.numbered && !held.some(({ id }) => id !== undefined))
      throw brokenTable(`the columns of ${path} have no field ids, by which the table maps them`);
    const vector = added.deletionVector;
    const left = rows - (vector?.cardinality ?? 0);
    if (left < 0) throw brokenTable(`more rows of ${path} are deleted than it has`);
    if (vector) await writeDeletedPositions(folder, vector, deleted);
    if (left > 0)
      yield {
        file,
        format: 'Parquet',
        name: path,
        held,
        rows: left,
        objects,
        constants: constantsOf(added, schema, names),
        where: vector
          ? `NOT bitmapContains((SELECT groupBitmapState(n) FROM file(${quoteText(deleted)}, RowBinary, 'n UInt64')), _row_number)`
          : undefined,
      };
    await release();
  }
}

/** Gives the values that all rows of a file have in the partition columns, by the column's name. */
function constantsOf(
  { partitionValues }: AddFile,
  { partitions }: TableSchema,
  names: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  return new Map(
    [...partitions].map((field) => [
      field.name,
      partitionValue(field, partitionValues?.[names.get(field.name) ?? field.name]),
    ]),
  );
}
