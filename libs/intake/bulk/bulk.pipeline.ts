import { Injectable } from '@nestjs/common';
import { refuseLongRecord } from '@app/acceptance';
import { FairStreamTurns } from '@app/flow';
import { GroupedUploads } from '../upload/grouped-uploads.js';
import { KeyedUpload } from '../upload/request/idempotency-key.js';
import { KeptUploads } from '../upload/request/kept-uploads.js';
import { readSmall } from '../frame/read-small.js';
import { StreamSchemas } from '../store/stream-schemas.js';
import { BulkFramer, type StreamBytes } from './bulk-framer.js';
import type { BulkRequest, BulkResult } from './bulk-request.js';
import {
  keptResult,
  refusalOf,
  SpooledDocuments,
  type KeptRejections,
  type KeyedBulk,
  type Pieces,
} from './spooled-documents.js';

/**
 * The way of a bulk request: its documents are separated by stream, those of each stream are
 * processed like an upload, all at the same time, and all batches are put on the queue in one
 * append. What is answered as stored is on disk in the queue; a request that fails leaves nothing.
 */
@Injectable()
export class BulkPipeline {
  constructor(
    private readonly schemas: StreamSchemas,
    private readonly groups: GroupedUploads,
    private readonly spooled: SpooledDocuments,
    private readonly kept: KeptUploads,
    private readonly turns: FairStreamTurns,
  ) {}

  /** @throws {MillraceError} with nothing stored. */
  async upload(request: BulkRequest): Promise<BulkResult> {
    const framer = new BulkFramer(request.defaultStream);
    const keyed = keyedUpload(request);
    const before = keyed && (await this.kept.before(keyed));
    if (keyed && before) {
      for await (const piece of keyed.body) framer.push(piece);
      framer.end();
      return { items: framer.items, ...keptResult(keyed.answerOf(before)) };
    }
    const body = this.turns.pass(request.organization.share, keyed?.body ?? request.body);
    if (keyed) return this.uploadSpooled(request, framer, pieces(framer, body), keyed);
    const small = await readSmall(body);
    if (!small.whole) return this.uploadSpooled(request, framer, pieces(framer, small.lines));
    const bodies = await whole(pieces(framer, [small.bytes]));
    const [only, ...others] = bodies;
    if (only && others.length > 0) return this.uploadSpooled(request, framer, [new Map(bodies)]);
    return this.uploadSmall(request, framer, only);
  }

  /**
   * Uploads the documents of one stream, grouped with those that others send there at the same
   * time.
   */
  private async uploadSmall(
    { organization, uploader, maxRecordBytes }: BulkRequest,
    { items }: BulkFramer,
    chunk: readonly [string, Buffer] | undefined,
  ): Promise<BulkResult> {
    const nothing = { items, rejections: new Map(), refused: new Map(), positions: [] };
    if (!chunk) return nothing;
    const [stream, bytes] = chunk;
    refuseLongRecord(bytes, { maxRecordBytes });
    const upload = { organization, stream, uploader, itemized: true };
    try {
      this.schemas.checkRoom(organization, stream, uploader);
      const { rejections = [], position } = await this.groups.upload(upload, bytes, 'line');
      const positions = position ? [position] : [];
      return { ...nothing, rejections: new Map([[stream, rejections]]), positions };
    } catch (error) {
      return { ...nothing, refused: new Map([[stream, refusalOf(error)]]) };
    }
  }

  private async uploadSpooled(
    request: BulkRequest,
    { items }: BulkFramer,
    body: Pieces<StreamBytes>,
    keyed?: KeyedBulk,
  ): Promise<BulkResult> {
    return { items, ...(await this.spooled.upload(request, body, keyed)) };
  }
}

function keyedUpload({
  organization,
  defaultStream = '',
  body,
  idempotencyKey,
  admitAnswer,
}: BulkRequest): KeyedBulk | undefined {
  if (idempotencyKey === undefined) return undefined;
  const bulk = { organization, stream: defaultStream, format: { kind: 'bulk' }, body };
  const named = { ...bulk, ...(admitAnswer && { admitAnswer }) };
  return new KeyedUpload<KeptRejections>(named, idempotencyKey);
}

async function* pieces(framer: BulkFramer, body: Pieces<Buffer>): AsyncGenerator<StreamBytes> {
  for await (const piece of body) yield framer.push(piece);
  yield framer.end();
}

async function whole(body: AsyncIterable<StreamBytes>): Promise<[string, Buffer][]> {
  const all = new Map<string, Buffer[]>();
  for await (const piece of body)
    for (const [stream, bytes] of piece) all.set(stream, [...(all.get(stream) ?? []), bytes]);
  return [...all].map(([stream, bodies]) => [stream, Buffer.concat(bodies)]);
}
