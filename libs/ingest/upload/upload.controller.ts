import { Controller, HttpCode, Inject, Param, Post, Query, Req } from '@nestjs/common';
import { z } from 'zod';
import {
  callerOf,
  Describe,
  MillraceError,
  organizationOf,
  Requires,
  type AuthenticatedRequest,
  type UploadLimits,
} from '@app/platform';
import { WriteProgress } from '../write/write-progress.js';
import { decodeBody } from './decode-body.js';
import { UploadPipeline } from './upload.pipeline.js';

/** Of type {@link UploadLimits}. */
export const UPLOAD_LIMITS = Symbol('UploadLimits');

interface UploadAnswer {
  readonly code: 200;
  readonly status: readonly {
    readonly name: string;
    readonly successful: number;
    readonly failed: number;
    readonly error?: string;
  }[];
}

const uploadQuery = z.strictObject({
  /** Answer when the rows can be queried, not already when they are durable. */
  wait: z.enum(['true', 'false']).default('false'),
});

@Controller('api/:org')
@Requires('upload')
export class UploadController {
  constructor(
    private readonly pipeline: UploadPipeline,
    private readonly progress: WriteProgress,
    @Inject(UPLOAD_LIMITS) private readonly limits: UploadLimits,
  ) {}

  @Post(':stream/_json')
  @HttpCode(200)
  @Describe({
    tag: 'Upload',
    summary: 'Store records: an array of objects, one object, or NDJSON',
    body: {
      schema: z.union([z.array(z.looseObject({})), z.looseObject({})]),
      example: [{ status: 200, path: '/', took: 0.012 }],
    },
    query: uploadQuery,
    answer: { code: 200, status: [{ name: 'logs', successful: 1, failed: 0 }] },
    failures: {
      MALFORMED_BODY: 'line 1: this is not JSON',
      INVALID_NAME: 'stream name "_x": want 1 to 127 letters, digits, "_", "-" or "."',
      UPLOAD_TOO_LARGE: 'an upload may have at most 5368709120 bytes; split it',
      UNSUPPORTED_ENCODING: 'want Content-Encoding gzip, deflate, br or zstd',
      QUEUE_FULL: 'the ingest queue is full; nothing of this upload was stored; try again later',
    },
  })
  async json(
    @Req() request: AuthenticatedRequest,
    @Param('stream') stream: string,
    @Query() query: unknown,
  ): Promise<UploadAnswer> {
    const { wait } = uploadQuery.parse(query);
    const { maxBytes, maxRecordBytes } = this.limits;
    const declared = Number(request.headers['content-length'] ?? 0);
    if (declared > maxBytes) {
      throw new MillraceError(
        'UPLOAD_TOO_LARGE',
        `an upload may have at most ${maxBytes} bytes; split it`,
      );
    }
    const userAgent = request.headers['user-agent'];
    const result = await this.pipeline.upload({
      organization: organizationOf(request),
      stream,
      body: decodeBody(request.raw, request.headers['content-encoding'], maxBytes),
      maxRecordBytes,
      uploader: {
        actor: callerOf(request).userId,
        organizationId: organizationOf(request).id,
        address: request.ip,
        requestId: request.id,
        ...(userAgent === undefined ? {} : { userAgent }),
      },
    });
    if (wait === 'true' && result.position) await this.progress.awaitWritten(result.position);
    const { successful, failed, error } = result;
    return {
      code: 200,
      status: [{ name: stream, successful, failed, ...(error === undefined ? {} : { error }) }],
    };
  }
}
