import { Injectable } from '@nestjs/common';
import { ulid } from '@app/platform';
import { type CsvShape, refuseLongRecord } from '@app/acceptance';
import { CHUNK_BYTES, ChunkAcceptance, CSV_CHUNK_BYTES, evenChunkBytes } from './accept-chunks.js';
import { frameCsv } from '../frame/frame-csv.js';
import { frameRecords, type RecordUnit } from '../frame/frame-records.js';
import { GroupedUploads } from './grouped-uploads.js';
import type { KeyedUpload } from './request/idempotency-key.js';
import { readSmall } from '../frame/read-small.js';
import { Spool } from '../spool/spool.js';
import { spoolChunks } from '../spool/spool-chunks.js';
import { UploadStore } from './store-upload.js';
import { StreamSchemas } from '../store/stream-schemas.js';
import { untilRefused } from './until-refused.js';
import type { UploadFormat, UploadRequest } from './request/upload-request.js';
import type { UploadResult } from './outcome/upload-result.js';

type RecordFormat = Extract<UploadFormat, { readonly kind: 'csv' | 'json' | 'lines' }>;

const ONE_LINE =
  'no record: all of the body is one line, the header; curl -d takes line breaks out of a file, --data-binary keeps them';

/** Takes uploads of text, one record a line: small ones in groups, the others through the spool. */
@Injectable()
export class RecordUploads {
  constructor(
    private readonly acceptance: ChunkAcceptance,
    private readonly uploads: UploadStore,
    private readonly schemas: StreamSchemas,
    private readonly spool: Spool,
    private readonly groups: GroupedUploads,
  ) {}

  /** @throws {MillraceError} with nothing stored. */
  async upload(
    request: UploadRequest,
    format: RecordFormat,
    keyed: KeyedUpload | undefined,
  ): Promise<UploadResult> {
    const { body } = request;
    if (format.kind === 'csv') {
      const { lines, isOneLine, ...csv } = await frameCsv(body, format.delimiter);
      const result = await this.uploadSpooled(request, { lines, unit: 'record', csv, keyed });
      // A file of a header alone is whole; one that has lost its line breaks looks the same.
      return isOneLine ? { ...result, error: ONE_LINE } : result;
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
      const chunks = untilRefused(lines, (rest) => {
        const counted = this.spool.counted(uploadId, rest, ({ length }) => length);
        const chunkBytes = evenChunkBytes(csv ? CSV_CHUNK_BYTES : CHUNK_BYTES, request.bytes);
        const spooled = spoolChunks(counted, { directory, chunkBytes, maxRecordBytes });
        return this.acceptance.each(keeper, spooled, options);
      });
      return this.uploads.store({ request, keeper, chunks, unit, keyed });
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
