import { Injectable } from '@nestjs/common';
import { FairStreamTurns } from '@app/flow';
import { MillraceError } from '@app/platform';
import { streamNameProblem } from '@app/streams';
import { KeyedUpload } from './request/idempotency-key.js';
import { KeptUploads } from './request/kept-uploads.js';
import { RecordUploads } from './record-uploads.js';
import { StreamSchemas } from '../store/stream-schemas.js';
import { TableUploads } from './table-uploads.js';
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
    private readonly schemas: StreamSchemas,
    private readonly kept: KeptUploads,
    private readonly turns: FairStreamTurns,
    private readonly records: RecordUploads,
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
    return this.records.upload({ ...request, body }, format, keyed);
  }
}
