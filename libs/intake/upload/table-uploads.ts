import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { MillraceError, ulid } from '@app/platform';
import { COLUMNS_MAX } from '@app/streams';
import type { LocalEngine } from '@app/warehouse';
import {
  type AcceptOptions,
  acceptRows,
  countFields,
  FairEngine,
  refuseLongRows,
  rowsOf,
  type SchemaKeeper,
  spoolRows,
  storedFields,
  type TableSource,
  targetStream,
} from '@app/acceptance';
import { DeltaTables } from '../delta/delta-tables.js';
import type { KeyedUpload } from './request/idempotency-key.js';
import { arrowTable, parquetTable } from './file-tables.js';
import { refuseOtherFile } from '../frame/other-format.js';
import { Spool } from '../spool/spool.js';
import { UploadStore } from './store-upload.js';
import type { AcceptChunk } from '../store/concurrent-acceptance.js';
import { StreamSchemas } from '../store/stream-schemas.js';
import type { UploadFormat, UploadRequest } from './request/upload-request.js';
import type { UploadResult } from './outcome/upload-result.js';

/**
 * The limits of a chunk. Columns need less room than the same records as JSON, so these bytes are
 * for about as many rows as a chunk of JSON has. The number of rows is that of one insert.
 */
const CHUNK_BYTES = 10 * 1024 * 1024;
const CHUNK_ROWS = 400_000;
/** The number of all fields in a table's columns, nested ones included. */
const NESTED_FIELDS_MAX = 10_000;

interface TableOptions extends AcceptOptions, Pick<UploadRequest, 'maxBytes' | 'maxRecordBytes'> {
  readonly engine: LocalEngine;
  readonly directory: string;
}

const ROUTES = { parquet: '_parquet', arrow: '_arrow', delta: '_delta_lake' } as const;

type TableFormat = Extract<UploadFormat, { readonly kind: 'parquet' | 'arrow' | 'delta' }>;

/**
 * The way of an upload that has a schema of its own: spool whole → read by the engine, block by
 * block → accept → enqueue. Its types make or change the stream before its first row is read.
 */
@Injectable()
export class TableUploads {
  constructor(
    private readonly engine: FairEngine,
    private readonly uploads: UploadStore,
    private readonly schemas: StreamSchemas,
    private readonly spool: Spool,
    private readonly deltaTables: DeltaTables,
  ) {}

  /** @throws {MillraceError} with nothing stored. */
  upload(
    request: UploadRequest,
    format: TableFormat,
    keyed: KeyedUpload | undefined,
  ): Promise<UploadResult> {
    const { organization, stream, uploader } = request;
    const uploadId = ulid();
    const keeper = this.schemas.keeper(organization, stream, uploader);
    const engine = this.engine.for(organization.share, uploadId, CHUNK_BYTES);
    const options = { uploadId, stream, acceptedAt: Date.now() * 1000 };
    return this.spool.use(uploadId, organization.share, async (directory) => {
      const body = join(directory, 'body');
      await this.spool.write(uploadId, body, request.body);
      await refuseOtherFile(body, ROUTES[format.kind]);
      const table =
        format.kind === 'delta'
          ? await this.deltaTables.open(body, {
              ...request,
              ...format,
              engine,
              directory,
              room: this.spool.room(uploadId),
            })
          : await { parquet: parquetTable, arrow: arrowTable }[format.kind](body);
      const chunks = this.chunksOf(table, keeper, { ...options, ...request, engine, directory });
      return this.uploads.store({ request, keeper, chunks, unit: 'row', keyed });
    });
  }

  private async *chunksOf(
    table: TableSource,
    keeper: SchemaKeeper,
    options: TableOptions,
  ): AsyncIterable<AcceptChunk> {
    refuseWide(table);
    const fields = storedFields(table.fields);
    const { engine, directory } = options;
    const chunks = spoolRows(
      (target) =>
        this.spool.counted(options.uploadId, rowsOf(engine, table, target), ({ bytes }) => bytes),
      { directory, chunkBytes: CHUNK_BYTES, chunkRows: CHUNK_ROWS, maxBytes: options.maxBytes },
    );
    const target = targetStream(keeper, fields);
    for await (const chunk of chunks) {
      yield async (first) => {
        await first;
        const isPlain = this.spool.staysPlain(chunk.bytes);
        await refuseLongRows(engine, chunk, options.maxRecordBytes);
        return {
          ...(await acceptRows(engine, target, fields, { ...chunk, isPlain }, options)),
          recordBytes: chunk.bytes,
        };
      };
    }
  }
}

/**
 * Each of them must be read, converted and judged, whether or not the stream gets it as a column.
 */
function refuseWide({ fields }: TableSource): void {
  if (fields.length > COLUMNS_MAX + 1)
    throw new MillraceError(
      'MALFORMED_BODY',
      `the table has ${fields.length} columns, and a stream can have ${COLUMNS_MAX}; send fewer, or put some into a struct`,
    );
  const nested = fields.reduce((sum, { type }) => sum + countFields(type), 0);
  if (nested > NESTED_FIELDS_MAX)
    throw new MillraceError(
      'MALFORMED_BODY',
      `the table's columns have ${nested} fields within them, and ${NESTED_FIELDS_MAX} are the most; send them as text, or as a map`,
    );
}
