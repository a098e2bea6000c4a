import { Controller, HttpCode, Inject, Param, Post, Query, Req } from '@nestjs/common';
import { z } from 'zod';
import {
  Describe,
  MillraceError,
  organizationOf,
  Requires,
  type AuthenticatedRequest,
  type UploadLimits,
} from '@app/platform';
import { WriteProgress } from '../write/write-progress.js';
import { watchPace } from './client-pace.js';
import { decodeBody } from './decode-body.js';
import { idempotencyKeyOf } from './idempotency-key.js';
import { isMultipart, multipartFile } from './multipart-file.js';
import type { UploadFormat } from './upload-request.js';
import { toAnswer, type UploadAnswer } from './upload-answer.js';
import { UPLOAD_LIMITS } from './upload-limits.js';
import { UploadRates } from './upload-rates.js';
import { uploaderOf } from './uploader.js';
import { UploadPipeline } from './upload.pipeline.js';

const uploadQuery = z.strictObject({
  /** Answer when the rows can be queried, not already when they are durable. */
  wait: z.enum(['true', 'false']).default('false'),
});

const csvQuery = uploadQuery.extend({
  /** One character, or `tab`. Default: what the header has most of. */
  delimiter: z
    .string()
    .transform((text) => (text === 'tab' ? '\t' : text))
    .refine((text) => /^[\t\x20-\x7e]$/.test(text) && text !== '"', {
      error: 'want one ASCII character, not a quote, or "tab"',
    })
    .optional(),
});

const deltaQuery = uploadQuery.extend({
  /** Of the table; default: its newest. */
  version: z
    .string()
    .regex(/^\d{1,15}$/, 'want a whole number')
    .transform(Number)
    .optional(),
});

const deltaReference = z.object({ uri: z.string(), version: z.number().optional() });

const DESCRIPTION = {
  tag: 'Upload',
  answer: { code: 200, status: [{ name: 'logs', successful: 1, failed: 0 }] },
  failures: {
    MALFORMED_BODY: 'line 1: this is not JSON',
    INVALID_NAME: 'stream name "_x": want 1 to 127 letters, digits, "_", "-" or "."',
    UPLOAD_TOO_LARGE: 'an upload may have at most 5368709120 bytes; split it',
    CONFLICT: 'this Idempotency-Key was sent with another upload; use a new one for each upload',
    UNSUPPORTED_ENCODING: 'want Content-Encoding gzip, deflate, br or zstd',
    TOO_MANY_REQUESTS: 'this organization uploads more than it may; wait and send it again',
    QUEUE_FULL: 'the ingest queue is full; nothing of this upload was stored; try again later',
  },
} as const;

@Controller('api/:org')
@Requires('upload')
export class UploadController {
  constructor(
    private readonly pipeline: UploadPipeline,
    private readonly progress: WriteProgress,
    private readonly rates: UploadRates,
    @Inject(UPLOAD_LIMITS) private readonly limits: UploadLimits,
  ) {}

  @Post([':stream/_json', ':stream/_multi'])
  @HttpCode(200)
  @Describe({
    ...DESCRIPTION,
    summary: 'Store records: an array of objects, one object, or NDJSON',
    body: {
      schema: z.union([z.array(z.looseObject({})), z.looseObject({})]),
      example: [{ status: 200, path: '/', took: 0.012 }],
    },
    query: uploadQuery,
  })
  json(
    @Req() request: AuthenticatedRequest,
    @Param('stream') stream: string,
    @Query() query: unknown,
  ): Promise<UploadAnswer> {
    const { wait } = uploadQuery.parse(query);
    return this.store(request, stream, { kind: 'json' }, wait);
  }

  @Post(':stream/_csv')
  @HttpCode(200)
  @Describe({
    ...DESCRIPTION,
    summary: 'Store records of a CSV with a header row; types are inferred',
    body: {
      schema: z.string(),
      example: 'status,path,took\n200,/,0.012\n',
      contentType: 'text/csv',
    },
    query: csvQuery,
  })
  csv(
    @Req() request: AuthenticatedRequest,
    @Param('stream') stream: string,
    @Query() query: unknown,
  ): Promise<UploadAnswer> {
    const { wait, delimiter } = csvQuery.parse(query);
    return this.store(request, stream, { kind: 'csv', delimiter }, wait);
  }

  @Post(':stream/_parquet')
  @HttpCode(200)
  @Describe({
    ...DESCRIPTION,
    summary: 'Store the rows of a Parquet file; its types make or change the stream',
    body: {
      schema: z.string().meta({ format: 'binary' }),
      example: 'PAR1…PAR1',
      contentType: 'application/vnd.apache.parquet',
    },
    query: uploadQuery,
  })
  parquet(
    @Req() request: AuthenticatedRequest,
    @Param('stream') stream: string,
    @Query() query: unknown,
  ): Promise<UploadAnswer> {
    const { wait } = uploadQuery.parse(query);
    return this.store(request, stream, { kind: 'parquet' }, wait);
  }

  @Post(':stream/_delta_lake')
  @HttpCode(200)
  @Describe({
    ...DESCRIPTION,
    summary:
      "Store the rows of a Delta table: a tar, tar.gz or zip of its folder, or where it is, as far as the server's configuration allows",
    body: { schema: deltaReference, example: { uri: 's3://lake/sales/orders', version: 7 } },
    query: deltaQuery,
  })
  deltaLake(
    @Req() request: AuthenticatedRequest,
    @Param('stream') stream: string,
    @Query() query: unknown,
  ): Promise<UploadAnswer> {
    const { wait, version } = deltaQuery.parse(query);
    return this.store(request, stream, { kind: 'delta', version }, wait);
  }

  private async store(
    request: AuthenticatedRequest,
    stream: string,
    format: UploadFormat,
    wait: 'true' | 'false',
  ): Promise<UploadAnswer> {
    const organization = organizationOf(request);
    const { maxBytes, maxRecordBytes } = this.limits;
    const declared = Number(request.headers['content-length'] ?? 0);
    if (declared > maxBytes) {
      throw new MillraceError(
        'UPLOAD_TOO_LARGE',
        `an upload may have at most ${maxBytes} bytes; split it`,
      );
    }
    this.rates.admit(organization.id);
    // A client that has sent all waits for us: that is not being idle, however long it takes.
    request.raw.once('end', () => request.raw.socket.setTimeout(0));
    const { 'content-type': contentType } = request.headers;
    const idempotencyKey = idempotencyKeyOf(request.headers['idempotency-key']);
    const decoded = decodeBody(request.raw, request.headers['content-encoding'], maxBytes);
    watchPace(request.raw, this.limits, (failure) => decoded.destroy(failure));
    const body = isMultipart(contentType) ? multipartFile(decoded, contentType) : decoded;
    const result = await this.pipeline.upload({
      organization,
      stream,
      body: this.rates.counted(organization.id, body),
      format,
      maxRecordBytes,
      maxBytes,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      uploader: uploaderOf(request),
    });
    if (wait === 'true' && result.position) await this.progress.awaitWritten(result.position);
    return toAnswer(result);
  }
}
