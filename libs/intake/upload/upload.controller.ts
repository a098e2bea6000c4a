import { Controller, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { z } from 'zod';
import { Describe, Requires, type AuthenticatedRequest } from '@app/platform';
import { WriteProgress } from '@app/writer';
import { isMultipart, multipartFile } from '../frame/multipart-file.js';
import type { UploadFormat } from './request/upload-request.js';
import { toAnswer, type UploadAnswer } from './outcome/upload-answer.js';
import { INTAKE_FAILURES, UploadIntake } from './request/upload-intake.js';
import { UploadPipeline } from './upload.pipeline.js';

const uploadQuery = z.strictObject({
  /**
   * With this, the answer comes when the rows can be queried, not already when they are durable.
   */
  wait: z.enum(['true', 'false']).default('false'),
});

const csvQuery = uploadQuery.extend({
  /** One character, or `tab`. Default: it is guessed from the header. */
  delimiter: z
    .string()
    .transform((text) => (text === 'tab' ? '\t' : text))
    .refine((text) => /^[\t\x20-\x7e]$/.test(text) && text !== '"', {
      error: 'want one ASCII character, not a quote, or "tab"',
    })
    .optional(),
});

const deltaQuery = uploadQuery.extend({
  /** The version of the table; default: its newest. */
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
    ...INTAKE_FAILURES,
  },
} as const;

@Controller('api/:org')
@Requires('upload')
export class UploadController {
  constructor(
    private readonly pipeline: UploadPipeline,
    private readonly progress: WriteProgress,
    private readonly intake: UploadIntake,
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

  @Post(':stream/_arrow')
  @HttpCode(200)
  @Describe({
    ...DESCRIPTION,
    summary:
      'Store the rows of a file or stream of Arrow (Feather); its types make or change the stream',
    body: {
      schema: z.string().meta({ format: 'binary' }),
      example: 'ARROW1…ARROW1',
      contentType: 'application/vnd.apache.arrow.file',
    },
    query: uploadQuery,
  })
  arrow(
    @Req() request: AuthenticatedRequest,
    @Param('stream') stream: string,
    @Query() query: unknown,
  ): Promise<UploadAnswer> {
    const { wait } = uploadQuery.parse(query);
    return this.store(request, stream, { kind: 'arrow' }, wait);
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
    const { 'content-type': type } = request.headers;
    const taken = await this.intake.take(
      request,
      isMultipart(type) ? (decoded) => multipartFile(decoded, type) : undefined,
    );
    const result = await this.pipeline.upload({ ...taken, stream, format });
    const { position, first } = result;
    if (wait === 'true' && position) await this.progress.awaitWritten(position, first);
    return toAnswer(result);
  }
}
