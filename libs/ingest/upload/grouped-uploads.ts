import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { ulid } from 'ulid';
import { IngestQueue } from '@app/ingest-queue';
import type { RequestOrganization } from '@app/platform';
import { LocalEngine } from '@app/warehouse';
import { acceptRecords } from '../accept/accept-records.js';
import { enqueueBatches } from './enqueue-batches.js';
import type { RecordUnit } from './frame-records.js';
import { Spool } from './spool.js';
import { StreamSchemas, type Uploader } from './stream-schemas.js';
import { resultOf, type UploadResult } from './upload-result.js';

export interface SmallUpload {
  readonly organization: RequestOrganization;
  readonly stream: string;
  readonly uploader: Uploader;
}

interface Waiting {
  readonly upload: SmallUpload;
  readonly bytes: Buffer;
  readonly unit: RecordUnit;
  resolve(result: UploadResult): void;
  reject(error: unknown): void;
}

/** What waits for one stream, and whether a group of it is being worked on. */
interface Line {
  readonly waiting: Waiting[];
  working: boolean;
}

const GROUP_BYTES_MAX = 8 * 1024 * 1024;
const GROUP_UPLOADS_MAX = 2000;
const LINE_BREAK = Buffer.from('\n');

/**
 * Small uploads of one stream that arrive while others are in work go on together, as one chunk
 * and one batch: the engine's cost of a statement and the disk's of a sync are shared. Each gets
 * its own answer when the batch is durable. A group in which anything is unusual is taken apart
 * and each upload goes on alone, so that nobody's bad record is another's.
 */
@Injectable()
export class GroupedUploads {
  private readonly streams = new Map<string, Line>();

  constructor(
    private readonly engine: LocalEngine,
    private readonly queue: IngestQueue,
    private readonly schemas: StreamSchemas,
    private readonly spool: Spool,
  ) {}

  upload(upload: SmallUpload, bytes: Buffer, unit: RecordUnit): Promise<UploadResult> {
    const key = `${upload.organization.id}/${upload.stream}`;
    const line = this.streams.get(key) ?? { waiting: [], working: false };
    this.streams.set(key, line);
    return new Promise((resolve, reject) => {
      line.waiting.push({ upload, bytes, unit, resolve, reject });
      if (!line.working) void this.workOff(key, line);
    });
  }

  private async workOff(key: string, line: Line): Promise<void> {
    line.working = true;
    while (line.waiting.length > 0) {
      // Requests that have arrived in this turn of the event loop shall be of this group.
      await new Promise(setImmediate);
      await this.acceptGroup(nextGroup(line.waiting));
    }
    line.working = false;
    this.streams.delete(key);
  }

  private async acceptGroup(group: readonly Waiting[]): Promise<void> {
    const [first] = group;
    if (!first) return;
    try {
      const results = await this.accept(first.upload, group);
      for (const [index, waiting] of group.entries()) {
        const result = results?.[index];
        if (result) waiting.resolve(result);
        else await this.acceptGroup([waiting]);
      }
    } catch (error) {
      // Once on its way to the queue nothing is tried again: its outcome may be unknown.
      for (const waiting of group) waiting.reject(error);
    }
  }

  /** @returns a result for each, or undefined when the group must be taken apart. */
  private accept(
    { organization, stream, uploader }: SmallUpload,
    group: readonly Waiting[],
  ): Promise<readonly UploadResult[] | undefined> {
    const uploadId = ulid();
    return this.spool.use(uploadId, async (directory) => {
      const file = join(directory, '0.ndjson');
      const bytes = Buffer.concat(group.flatMap((waiting) => [waiting.bytes, LINE_BREAK]));
      await writeFile(file, bytes);
      const keeper = this.schemas.keeper(organization, stream, uploader);
      const options = { uploadId, stream, acceptedAt: Date.now() * 1000 };
      const chunk = { file, firstLine: 1, bytes: bytes.length };
      const alone = group.length === 1;
      const accepting = acceptRecords(this.engine, keeper, chunk, options);
      const accepted = alone ? await accepting : await accepting.catch(() => undefined);
      if (!accepted || (accepted.rejected && !alone)) return undefined;
      const sum = resultOf(stream, [accepted], group[0]?.unit ?? 'line');
      const position = await enqueueBatches(this.queue, organization.database, stream, [
        { ...accepted, recordBytes: bytes.length },
      ]);
      if (alone) return [{ ...sum, position }];
      return group.map((waiting) => ({
        stream,
        successful: recordsIn(waiting.bytes),
        failed: 0,
        error: undefined,
        position,
      }));
    });
  }
}

function nextGroup(waiting: Waiting[]): readonly Waiting[] {
  let bytes = 0;
  let count = 0;
  for (const { bytes: body } of waiting) {
    bytes += body.length;
    if (count > 0 && (bytes > GROUP_BYTES_MAX || count >= GROUP_UPLOADS_MAX)) break;
    count += 1;
  }
  return waiting.splice(0, count);
}

/** Lines that are not blank: each was found to be a record. */
function recordsIn(lines: Buffer): number {
  let records = 0;
  let visible = false;
  for (const byte of lines) {
    if (byte === 0x0a) {
      if (visible) records += 1;
      visible = false;
    } else if (byte > 0x20) visible = true;
  }
  return visible ? records + 1 : records;
}
