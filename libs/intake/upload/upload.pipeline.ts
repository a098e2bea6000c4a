import { Injectable } from '@nestjs/common';
import { ulid } from 'ulid';
import { MillraceError } from '@app/platform';
import { streamNameProblem } from '@app/streams';
import { type CsvShape, refuseLongRecord } from '@app/acceptance';
import { CHUNK_BYTES, ChunkAcceptance, CSV_CHUNK_BYTES } from './accept-chunks.js';
import { frameCsv } from '../frame/frame-csv.js';
import { frameRecords, type RecordUnit } from '../frame/frame-records.js';
import { GroupedUploads } from './grouped-uploads.js';
import { KeyedUpload } from './request/idempotency-key.js';
import { KeptUploads } from './request/kept-uploads.js';
import { readSmall } from '../frame/read-small.js';
import { ReceivingTurns } from './request/receiving-turns.js';
import { Spool } from '../spool/spool.js';
import { spoolChunks } from '../spool/spool-chunks.js';
import { UploadStore } from './store-upload.js';
import { StreamSchemas } from '../store/stream-schemas.js';
import { TableUploads } from './table-uploads.js';
import { untilRefused } from './until-refused.js';
import type { UploadRequest } from './request/upload-request.js';
import type { UploadResult } from './outcome/upload-result.js';

/**
 * The way of an upload: spool → accept → enqueue → answer. What is answered is on disk in the
 * queue, all of it; an upload that fails anywhere leaves nothing. Small bodies take the same way
 * in groups.
 */
@Injectable()
export class UploadPipeline {
  constructor(
    private readonly acceptance: ChunkAcceptance,
    private readonly uploads: UploadStore,
    private readonly schemas: StreamSchemas,
    private readonly spool: Spool,
    private readonly groups: GroupedUploads,
    private readonly kept: KeptUploads,
    private readonly turns: ReceivingTurns,
    private readonly tables: TableUploads,
  ) {}

  /** @throws {MillraceError} with nothing stored. */
  async upload(request: UploadRequest): Promise<UploadResult> {
    const problem = streamNameProblem(request.stream);
    if (problem) throw new MillraceError('INVALID_NAME', problem);
    const { format, idempotencyKey } = request;
    const keyed =
      idempotencyKey === undefined ? undefined : new KeyedUpload(request, idempotencyKey);
    const before = keyed && (await this.kept.before(keyed));
    if (keyed && before) {
      await keyed.read();
      return keyed.answerOf(before);
    }
    this.schemas.checkRoom(request.organization, request.stream, request.uploader);
    const body = this.turns.pass(request.organization.share, keyed?.body ?? request.body);
    if (format.kind === 'parquet' || format.kind === 'arrow' || format.kind === 'delta')
      return this.tables.upload({ ...request, body }, format, keyed);
    if (format.kind === 'csv') {
      const { lines, ...csv } = await frameCsv(body, format.delimiter);
      return this.uploadSpooled(request, { lines, unit: 'record', csv, keyed });
    }
    const { lines, unit }: Framed =
      format.kind === 'lines' ? { lines: body, unit: 'record' } : await frameRecords(body);
    if (keyed) return this.uploadSpooled(request, { lines, unit, keyed });
    const small = await readSmall(lines);
    if (small.whole) {
      refuseLongRecord(small.bytes, request);
      return this.groups.upload(request, small.bytes, unit);
    }
    return this.uploadSpooled(request, { lines: small.lines, unit });
  }

  private uploadSpooled(
    request: UploadRequest,
    { lines, unit, csv, keyed }: Framed,
  ): Promise<UploadResult> {
    const { organization, stream, uploader, maxRecordBytes } = request;
    const uploadId = ulid();
    const keeper = this.schemas.keeper(organization, stream, uploader);
    const acceptedAt = Date.now() * 1000;
    const options = { share: organization.share, uploadId, stream, acceptedAt, csv };
    return this.spool.use(uploadId, organization.share, (directory) => {
      const parts = untilRefused(lines, (rest) => {
        const counted = this.spool.counted(uploadId, rest, ({ length }) => length);
        const chunkBytes = csv ? CSV_CHUNK_BYTES : CHUNK_BYTES;
        const chunks = spoolChunks(counted, { directory, chunkBytes, maxRecordBytes });
        return this.acceptance.parts(keeper, chunks, options);
      });
      return this.uploads.store({ request, keeper, parts, unit, keyed });
    });
  }
}

interface Framed {
  /** One record a line. */
  readonly lines: AsyncIterable<Buffer>;
  readonly unit: RecordUnit;
  readonly csv?: CsvShape;
  readonly keyed?: KeyedUpload | undefined;
}
