import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import {
  certain,
  currentTrace,
  MillraceError,
  type RequestOrganization,
  type TraceContext,
  traced,
  ulid,
} from '@app/platform';
import { acceptRecords, type Chunk, FairJudge, rejectionsOf } from '@app/acceptance';
import { BatchEnqueuer, endsOf, INLINE_BYTES } from '../store/enqueue-batches.js';
import { byUploader, unchanging } from './group-uploaders.js';
import type { RecordUnit } from '../frame/frame-records.js';
import { HeldBytes } from '../spool/held-bytes.js';
import { Spool } from '../spool/spool.js';
import { StreamSchemas, type Uploader } from '../store/stream-schemas.js';
import { countsOf, resultOf, type UploadResult } from './outcome/upload-result.js';

interface SmallUpload {
  readonly organization: RequestOrganization;
  readonly stream: string;
  readonly uploader: Uploader;
  /** The upload needs to know each rejection, so it must be alone in its group. */
  readonly itemized?: boolean;
}

interface Waiting {
  readonly upload: SmallUpload;
  readonly bytes: Buffer;
  readonly unit: RecordUnit;
  /** The trace of the upload. The work of a group is traced under its first upload. */
  readonly trace: TraceContext;
  resolve(result: UploadResult): void;
  reject(error: unknown): void;
}

/** The uploads that wait for one stream, and whether a group of them is being worked on. */
interface Line {
  readonly waiting: Waiting[];
  working: boolean;
}

/**
 * All uploads that wait or are in work have at most so many bytes in memory. Each also takes some
 * memory besides its body.
 */
const HELD_BYTES_MAX = 256 * 1024 * 1024;
const HELD_EACH = 4096;
const GROUP_BYTES_MAX = 8 * 1024 * 1024;
const GROUP_UPLOADS_MAX = 2000;
const GATHER_MS_MAX = 3;
const LINE_BREAK = Buffer.from('\n');

/**
 * Small uploads of one stream that arrive while others are in work continue together as one chunk
 * and one batch, so that they share the cost of an engine's statement and of a disk sync. Each gets
 * its own answer when the batch is durable. Uploads that hold anything to reject are taken out of
 * their group and go on alone, so that nobody's bad record is another's; where fields are new, each
 * person's go on alone, so that the audit trail tells whose they were.
 */
@Injectable()
export class GroupedUploads {
  /** This is no mutex of libs/flow, because waiting uploads are taken together, as one group. */
  private readonly streams = new Map<string, Line>();
  private readonly held = new HeldBytes(HELD_BYTES_MAX);

  constructor(
    private readonly judge: FairJudge,
    private readonly enqueuer: BatchEnqueuer,
    private readonly schemas: StreamSchemas,
    private readonly spool: Spool,
  ) {}

  async upload(upload: SmallUpload, bytes: Buffer, unit: RecordUnit): Promise<UploadResult> {
    // The others of its group may have another sender.
    upload.uploader.checkAdmission?.();
    return this.held.during(upload.organization.share, bytes.length + HELD_EACH, () =>
      this.wait(upload, bytes, unit),
    );
  }

  private wait(upload: SmallUpload, bytes: Buffer, unit: RecordUnit): Promise<UploadResult> {
    const key = `${upload.organization.id}/${upload.stream}`;
    const line = this.streams.get(key) ?? { waiting: [], working: false };
    this.streams.set(key, line);
    return new Promise((resolve, reject) => {
      line.waiting.push({ upload, bytes, unit, trace: currentTrace(), resolve, reject });
      if (!line.working) void this.workOff(key, line);
    });
  }

  private async workOff(key: string, line: Line): Promise<void> {
    line.working = true;
    let expected = 1;
    while (line.waiting.length > 0) {
      await this.gather(line.waiting, expected);
      const group = nextGroup(line.waiting);
      expected = group.length;
      await this.acceptGroup(group);
    }
    line.working = false;
    this.streams.delete(key);
  }

  /**
   * Clients that got their answers together will send their next requests together, so this waits a
   * moment for as many as last time.
   */
  private async gather(waiting: readonly Waiting[], expected: number): Promise<void> {
    const until = performance.now() + GATHER_MS_MAX;
    do {
      await new Promise(setImmediate);
    } while (waiting.length < expected && performance.now() < until);
  }

  private async acceptGroup(group: readonly Waiting[]): Promise<void> {
    const [first] = group;
    if (!first) return;
    try {
      const { results, apart } = await traced(
        'accept group',
        () => this.accept(first.upload, group),
        {
          attributes: { uploads: group.length },
          parent: first.trace,
          links: group.slice(1).map(({ trace }) => trace),
        },
      );
      for (const [index, result] of results.entries()) group[index]?.resolve(result);
      for (const group of apart) await this.acceptGroup(group);
    } catch (error) {
      // Nothing is tried again after an append has begun, because its outcome may be unknown.
      for (const waiting of group) waiting.reject(error);
    }
  }

  /** Runs work with lines in the cheapest place: few lines stay in memory. */
  private async placed<T>(
    uploadId: string,
    owner: string,
    lines: Buffer,
    work: (chunk: Chunk) => Promise<T>,
  ): Promise<T> {
    const chunk = { file: '0.ndjson', firstLine: 1, bytes: lines.length };
    if (lines.length <= INLINE_BYTES) {
      await this.spool.checkFree();
      return work({ ...chunk, content: lines });
    }
    return this.spool.use(uploadId, owner, async (directory) => {
      const file = join(directory, chunk.file);
      await writeFile(file, lines);
      return work({ ...chunk, file });
    });
  }

  /** @returns a result for each, or the smaller groups to continue with instead. */
  private accept(
    { organization, stream, uploader, itemized = false }: SmallUpload,
    group: readonly Waiting[],
  ): Promise<GroupOutcome> {
    const uploadId = ulid();
    const bytes = Buffer.concat(group.flatMap((waiting) => [waiting.bytes, LINE_BREAK]));
    return this.placed(uploadId, organization.share, bytes, async (chunk) => {
      const keeper = this.schemas.keeper(organization, stream, uploader);
      const options = { uploadId, stream, acceptedAt: Date.now() * 1000 };
      const alone = group.length === 1;
      const groups = byUploader(group);
      const judge = this.judge.for(organization.share, uploadId, bytes.length);
      const accepting = acceptRecords(
        judge,
        groups.length === 1 ? keeper : unchanging(keeper),
        chunk,
        options,
      );
      const accepted = alone ? await accepting : await accepting.catch(unlessOfAll);
      if (!accepted) return { results: [], apart: groups.length === 1 ? halves(group) : groups };
      if (accepted.rejected && !alone) {
        return {
          results: [],
          apart: takeApart(
            group,
            certain(accepted.rejected.rejections, 'list of what is rejected').lines,
          ),
        };
      }
      const rejections = itemized && accepted.rejected ? rejectionsOf(accepted.rejected) : [];
      const sum =
        rejections.length > 0
          ? countsOf(stream, [accepted])
          : resultOf(stream, [accepted], group[0]?.unit ?? 'line');
      const to = { organization, stream, keeper };
      const chunks = [{ ...accepted, recordBytes: bytes.length }];
      const enqueued = await this.enqueuer.enqueueAll([{ to, chunks }]);
      // The group may be split when it is accepted again.
      if (!('positions' in enqueued)) return { results: [], apart: [group] };
      const { position, first } = endsOf(enqueued);
      const ofOne = ({ bytes: lines }: Waiting): UploadResult => ({
        stream,
        successful: recordsIn(lines),
        failed: 0,
        error: undefined,
        position,
        first,
      });
      return {
        results: alone ? [{ ...sum, position, first, rejections }] : group.map(ofOne),
        apart: [],
      };
    });
  }
}

/**
 * Splitting the group finds the upload that is at fault. If the server lacks something, all of them
 * fail.
 */
function unlessOfAll(error: unknown): undefined {
  if (error instanceof MillraceError && error.status >= 500) throw error;
}

interface GroupOutcome {
  readonly results: readonly UploadResult[];
  readonly apart: readonly (readonly Waiting[])[];
}

/** Takes each upload with rejected lines alone, and all others together. */
function takeApart(
  group: readonly Waiting[],
  rejected: Float64Array,
): readonly (readonly Waiting[])[] {
  const good: Waiting[] = [];
  const alone: Waiting[][] = [];
  let line = 1;
  for (const waiting of group) {
    const next = line + linesIn(waiting.bytes) + 1;
    const begin = line;
    if (rejected.some((number) => number >= begin && number < next)) alone.push([waiting]);
    else good.push(waiting);
    line = next;
  }
  return [good, ...alone];
}

function halves(group: readonly Waiting[]): readonly (readonly Waiting[])[] {
  const middle = Math.ceil(group.length / 2);
  return [group.slice(0, middle), group.slice(middle)];
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_BREAK); at >= 0; at = bytes.indexOf(LINE_BREAK, at + 1))
    lines += 1;
  return lines;
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

/** The number of lines that are not blank. Each of them is a record. */
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
