import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import type { DeadMessage } from '@app/ingest-queue';
import { currentTrace, MillraceError } from '@app/platform';
import { type UploadLimits, UPLOAD_LIMITS } from '../upload.settings.js';
import { WarehouseError } from '@app/warehouse';
import {
  acceptRecords,
  type Chunk,
  FairJudge,
  isOutOfSpace,
  refuseLongRecord,
} from '@app/acceptance';
import type { EnqueuedChunk } from '../store/enqueue-batches.js';
import { frameCsv } from '../frame/frame-csv.js';
import { frameWhole } from '../frame/frame-records.js';
import type { AcceptedStream } from '../store/store-accepted.js';
import { StreamSchemas } from '../store/stream-schemas.js';
import { UploadPipeline } from '../upload/upload.pipeline.js';
import type { PlacedMessage } from './place-message.js';
import { tracedFor } from './trace-messages.js';

const LINE_BREAK = Buffer.from('\n');
const SPACE = 0x20;

/** Turns messages into batches, those for one stream together. */
@Injectable()
export class MessageAcceptor {
  constructor(
    private readonly judge: FairJudge,
    private readonly schemas: StreamSchemas,
    private readonly uploads: UploadPipeline,
    @Inject(UPLOAD_LIMITS) private readonly limits: UploadLimits,
  ) {}

  /**
   * @param directory for files; it is theirs until the batches are on the queue
   * @param bury is called for each message that cannot be processed
   * @throws {MillraceError} for reasons that do not come from the messages
   */
  async accept(
    messages: readonly PlacedMessage[],
    directory: string,
    bury: (dead: DeadMessage) => void,
  ): Promise<readonly AcceptedStream[]> {
    const accepted: AcceptedStream[] = [];
    const left = groups(messages);
    let files = 0;
    for (let group = left.shift(); group; group = left.shift()) {
      const [first] = group;
      if (!first) continue;
      files += 1;
      try {
        const file = join(directory, `${files}.ndjson`);
        accepted.push(await tracedFor(group, () => this.acceptGroup(first, group, file)));
      } catch (error) {
        if (!isOwnFault(error)) throw error;
        const middle = Math.ceil(group.length / 2);
        if (group.length > 1) left.unshift(group.slice(0, middle), group.slice(middle));
        else bury({ message: first.message, reason: reasonOf(error) });
      }
    }
    return accepted;
  }

  /** With the key, the upload happens once, however often the message comes. */
  async upload(
    { organization, stream, format, message }: PlacedMessage,
    idempotencyKey: string,
    bury: (dead: DeadMessage) => void,
  ): Promise<void> {
    try {
      await this.uploads.upload({
        organization,
        stream,
        format,
        idempotencyKey,
        body: pieces(message.value),
        maxRecordBytes: this.limits.maxRecordBytes,
        maxBytes: message.value.length,
        uploader: { actor: 'system', organizationId: organization.id, userAgent: 'kafka' },
      });
    } catch (error) {
      if (!(error instanceof MillraceError) || error.status >= 500) throw error;
      bury({ message, reason: error.message });
    }
  }

  private async acceptGroup(
    { organization, stream, format, message }: PlacedMessage,
    group: readonly PlacedMessage[],
    file: string,
  ): Promise<AcceptedStream> {
    const uploader = { actor: 'system', organizationId: organization.id, userAgent: 'kafka' };
    this.schemas.checkRoom(organization, stream, uploader);
    const keeper = this.schemas.keeper(organization, stream, uploader);
    const into = { file, maxRecordBytes: this.limits.maxRecordBytes };
    const chunk =
      format.kind === 'csv' ? await csvChunk(message.value, into) : await jsonChunk(group, into);
    const judge = this.judge.for(organization.share, message.name, chunk.bytes);
    const options = { uploadId: message.name, stream, acceptedAt: Date.now() * 1000 };
    const accept = async (): Promise<EnqueuedChunk> => ({
      ...(await acceptRecords(judge, keeper, chunk, options)),
      recordBytes: chunk.bytes,
    });
    const to = { organization, stream, keeper };
    return { to, accepted: [{ accept, result: await accept() }], trace: currentTrace() };
  }
}

interface Into {
  readonly file: string;
  readonly maxRecordBytes: number;
}

async function csvChunk(value: Uint8Array, { file, maxRecordBytes }: Into): Promise<Chunk> {
  const { lines, columns, delimiter } = await frameCsv(pieces(value), undefined);
  const bytes = await collect(lines);
  refuseLongRecord(bytes, { maxRecordBytes });
  await writeFile(file, bytes);
  return { file, firstLine: 1, bytes: bytes.length, csv: { columns, delimiter } };
}

/** Groups JSON messages for one stream. A CSV has its own header and stays alone. */
function groups(messages: readonly PlacedMessage[]): PlacedMessage[][] {
  const found = new Map<string, PlacedMessage[]>();
  let before: PlacedMessage | undefined;
  let group: PlacedMessage[] = [];
  for (const placed of messages) {
    // Most messages go to the same stream as the one before. Building a key for each would take as
    // long as reading its lines.
    if (!before || !areTogether(before, placed)) {
      const { organization, stream, format, message } = placed;
      const own = format.kind === 'csv' ? message.name : '';
      const key = JSON.stringify([organization.id, stream, own]);
      group = found.get(key) ?? [];
      found.set(key, group);
    }
    group.push(placed);
    before = placed;
  }
  return [...found.values()];
}

const areTogether = (one: PlacedMessage, other: PlacedMessage): boolean =>
  one.format.kind !== 'csv' &&
  other.format.kind !== 'csv' &&
  one.organization.id === other.organization.id &&
  one.stream === other.stream;

async function jsonChunk(
  group: readonly PlacedMessage[],
  { file, maxRecordBytes }: Into,
): Promise<Chunk> {
  const buffers: Buffer[] = [];
  for (const { message } of group) {
    const lines = linesOf(message.value);
    refuseLongRecord(lines, { maxRecordBytes });
    buffers.push(lines, LINE_BREAK);
  }
  const bytes = Buffer.concat(buffers);
  await writeFile(file, bytes);
  return { file, firstLine: 1, bytes: bytes.length };
}

/** Puts one record on a line. Text that is no JSON becomes one line, which is then rejected. */
function linesOf(value: Uint8Array): Buffer {
  try {
    return frameWhole(Buffer.from(value.buffer, value.byteOffset, value.length));
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
    return Buffer.from(value.map((byte) => (byte === 0x0a || byte === 0x0d ? SPACE : byte)));
  }
}

async function* pieces(value: Uint8Array): AsyncIterable<Buffer> {
  yield await Promise.resolve(Buffer.from(value));
}

async function collect(lines: AsyncIterable<Buffer>): Promise<Buffer> {
  const buffers: Buffer[] = [];
  for await (const piece of lines) buffers.push(piece);
  return Buffer.concat(buffers);
}

/** Tells whether the messages are at fault, and not the disk, the memory or the time. */
function isOwnFault(error: unknown): boolean {
  if (isOutOfSpace(error)) return false;
  if (error instanceof MillraceError) return error.status < 500;
  return error instanceof WarehouseError;
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
