import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Controller, Get, Head, HttpCode, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { longRecord } from '@app/acceptance';
import { elasticsearchFailure } from '@app/http';
import {
  type AuthenticatedRequest,
  certain,
  Describe,
  MillraceError,
  organizationOf,
  Requires,
  ulid,
} from '@app/platform';
import { StreamsProjection } from '@app/streams';
import { WriteProgress } from '@app/writer';
import { RecordFramer } from '../frame/record-framer.js';
import { HeldBytes } from '../spool/held-bytes.js';
import {
  INTAKE_FAILURES,
  UploadIntake,
  type TakenUpload,
} from '../upload/request/upload-intake.js';
import type { BulkResult } from './bulk-request.js';
import { BulkPipeline } from './bulk.pipeline.js';
import { PRODUCT_HEADER } from '../elasticsearch/elasticsearch.controller.js';

const NEWLINE = 0x0a;
/** All documents that are being read at the same time may have so many bytes together. */
const HELD_BYTES_MAX = 128 * 1024 * 1024;

/** Ids that Elasticsearch makes have so many characters. */
const ID_LENGTH = 20;

/** Clients send more parameters about how Elasticsearch should work. They are ignored. */
const documentQuery = z.looseObject({
  wait: z.enum(['true', 'false']).default('false'),
  refresh: z.enum(['', 'true', 'false', 'wait_for']).default('false'),
});

/** The answer about a document, beside its stream and its id. */
const CREATED = {
  _version: 1,
  result: 'created',
  _shards: { total: 1, successful: 1, failed: 0 },
  _seq_no: 0,
  _primary_term: 1,
} as const;
const REFRESHED = { _shards: { total: 1, successful: 1, failed: 0 } };

const DESCRIPTION = {
  tag: 'Elasticsearch clients',
  body: { schema: z.looseObject({}), example: { status: 200, path: '/' } },
  query: documentQuery,
  status: 201,
  answer: { _index: 'logs', _id: '01K9', ...CREATED },
  failures: {
    MALFORMED_BODY: 'malformed JSON',
    ...INTAKE_FAILURES,
  },
} as const;

type DocumentRequest = AuthenticatedRequest & {
  readonly params: { readonly stream: string; readonly id?: string };
};

interface Item {
  readonly status: number;
  readonly error?: { readonly type: string; readonly reason: string };
}

/**
 * One document a request, as `index()` of Elasticsearch's clients sends it. It goes the way of a
 * bulk request of one action. A stream only grows: the same id and document again, within the time
 * that an `Idempotency-Key` is kept, stores nothing; another document under that id is one more.
 */
@Controller('api/:org')
@Requires('upload')
export class DocumentController {
  private readonly held = new HeldBytes(HELD_BYTES_MAX);

  constructor(
    private readonly pipeline: BulkPipeline,
    private readonly progress: WriteProgress,
    private readonly intake: UploadIntake,
    private readonly streams: StreamsProjection,
  ) {}

  @Post([':stream/_doc', ':stream/_doc/:id', ':stream/_create', ':stream/_create/:id'])
  @HttpCode(201)
  @Describe({ ...DESCRIPTION, summary: 'Store one document; its id is kept as `_id`' })
  post(
    @Req() request: DocumentRequest,
    @Query() query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.store(request, query, reply);
  }

  @Put([':stream/_doc/:id', ':stream/_create/:id'])
  @HttpCode(201)
  @Describe({ ...DESCRIPTION, summary: 'The same' })
  put(
    @Req() request: DocumentRequest,
    @Query() query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.store(request, query, reply);
  }

  @Post(['_refresh', ':stream/_refresh'])
  @HttpCode(200)
  @Describe({
    tag: DESCRIPTION.tag,
    summary: 'Answer when what was sent before can be queried',
    answer: REFRESHED,
  })
  refresh(@Res() reply: FastifyReply): Promise<void> {
    return this.answerWritten(reply);
  }

  /** @elastic/elasticsearch sends GET for a request without a body. */
  @Get(['_refresh', ':stream/_refresh'])
  @Describe({ tag: DESCRIPTION.tag, summary: 'The same', answer: REFRESHED })
  refreshByGet(@Res() reply: FastifyReply): Promise<void> {
    return this.answerWritten(reply);
  }

  private async answerWritten(reply: FastifyReply): Promise<void> {
    await this.progress.allWritten();
    await reply.headers(PRODUCT_HEADER).send(REFRESHED);
  }

  @Head(':stream')
  @Requires('query')
  @Describe({ tag: DESCRIPTION.tag, summary: 'Whether the stream exists: 200 or 404' })
  async exists(
    @Req() request: AuthenticatedRequest,
    @Param('stream') name: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const stream = this.streams.findFor(organizationOf(request), name);
    await reply
      .headers(PRODUCT_HEADER)
      .status(stream ? 200 : 404)
      .send();
  }

  private async store(
    request: DocumentRequest,
    query: unknown,
    reply: FastifyReply,
  ): Promise<void> {
    const { wait, refresh } = documentQuery.parse(query);
    const { stream, id: sentId } = request.params;
    const taken = await this.intake.take(request);
    const { share } = taken.organization;
    let held = 0;
    const hold = (bytes: number): void => {
      this.held.take(share, bytes);
      held += bytes;
    };
    try {
      const document = await wholeDocument(taken, hold);
      const id = sentId ?? idFor(taken);
      if (sentId !== undefined) this.intake.admitKeyed(taken.organization);
      const action = `${JSON.stringify({ index: { _index: stream, _id: id } })}\n`;
      const result = await this.pipeline.upload({
        ...taken,
        body: Readable.from([Buffer.from(action), document]),
        defaultStream: undefined,
        ...(sentId === undefined ? {} : { idempotencyKey: keyOf(stream, id, document) }),
      });
      if (wait === 'true' || refresh !== 'false') await this.written(result);
      await this.answer(reply, { _index: stream, _id: id }, result);
    } finally {
      this.held.giveBack(share, held);
    }
  }

  private async written({ positions }: BulkResult): Promise<void> {
    if (!positions) await this.progress.allWritten();
    else await Promise.all(positions.map((position) => this.progress.awaitWritten(position)));
  }

  private async answer(
    reply: FastifyReply,
    named: { readonly _index: string; readonly _id: string },
    { items, rejections, refused }: BulkResult,
  ): Promise<void> {
    const told = JSON.parse([...items.answer(rejections, 0, refused)].join('')) as {
      readonly items: readonly { readonly index: Item }[];
    };
    const [answered] = told.items;
    void reply.headers(PRODUCT_HEADER);
    const { status, error } = certain(answered, 'item of the answer').index;
    if (error) await reply.status(status).send(elasticsearchFailure(reply.request, status, error));
    else await reply.send({ ...named, ...CREATED });
  }
}

/**
 * Reads one document and writes it on one line, because a client may write it over several.
 * @param hold is called with the number of bytes before they are kept
 * @throws {MillraceError} UPLOAD_TOO_LARGE, QUEUE_FULL, MALFORMED_BODY
 */
async function wholeDocument(
  { body, maxRecordBytes }: TakenUpload,
  hold: (bytes: number) => void,
): Promise<Buffer> {
  const framer = new RecordFramer('objects');
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > maxRecordBytes) throw longRecord('record', 1, maxRecordBytes);
    hold(piece.length);
    pieces.push(framer.push(piece));
  }
  framer.end();
  const document = Buffer.concat(pieces);
  // A second line would be read as another action.
  const end = document.indexOf(NEWLINE);
  if (end >= 0 && end < document.length - 1)
    throw new MillraceError('MALFORMED_BODY', 'want one document; send several by _bulk');
  return document;
}

/** A document that comes again under its key has the same id, or it would be another document. */
function idFor({ organization, idempotencyKey }: TakenUpload): string {
  if (idempotencyKey === undefined) return ulid();
  const named = JSON.stringify([organization.id, idempotencyKey]);
  return createHash('sha256').update(named).digest('base64url').slice(0, ID_LENGTH);
}

/** The same id with another document makes another key, so it is stored beside the first. */
function keyOf(stream: string, id: string, document: Buffer): string {
  const named = createHash('sha256').update(JSON.stringify([stream, id]));
  return `document ${named.update(document).digest('base64url')}`;
}
