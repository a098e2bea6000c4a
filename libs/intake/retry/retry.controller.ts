import { Controller, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { z } from 'zod';
import { Describe, organizationOf, Requires, type AuthenticatedRequest } from '@app/platform';
import { toAnswer, type UploadAnswer } from '../upload/outcome/upload-answer.js';
import { INTAKE_FAILURES } from '../upload/request/upload-intake.js';
import { UploadRates } from '../upload/request/upload-rates.js';
import { uploaderOf } from '../store/uploader.js';
import { WriteProgress } from '@app/writer';
import { RetryPipeline } from './retry.pipeline.js';

const retryQuery = z.strictObject({
  /** The id of one upload, as `_rejected` has it: only its records are retried. */
  upload_id: z.string().min(1).max(64).optional(),
  /** With this, the answer comes when the moved records can be queried. */
  wait: z.enum(['true', 'false']).default('false'),
});

@Controller('api/:org')
@Requires('upload')
export class RetryController {
  constructor(
    private readonly pipeline: RetryPipeline,
    private readonly progress: WriteProgress,
    private readonly rates: UploadRates,
  ) {}

  @Post(':stream/_rejected/retry')
  @HttpCode(200)
  @Describe({
    tag: 'Upload',
    summary:
      'Try rejected records again: what fits by now moves to the stream, once; the rest stays',
    query: retryQuery,
    answer: {
      code: 200,
      status: [
        {
          name: 'logs',
          successful: 2,
          failed: 1,
          error:
            'line 3 of upload 01K9ZZ0000000000000000000C: field "price": string does not fit the column\'s type, Nullable(Float64), without loss',
        },
      ],
    },
    failures: {
      STREAM_NOT_FOUND: 'stream not found',
      CONFLICT: 'stream logs was deleted meanwhile',
      TOO_MANY_REQUESTS: INTAKE_FAILURES.TOO_MANY_REQUESTS,
      STORAGE_FULL: INTAKE_FAILURES.STORAGE_FULL,
      QUEUE_FULL: INTAKE_FAILURES.QUEUE_FULL,
    },
  })
  async retry(
    @Req() request: AuthenticatedRequest,
    @Param('stream') stream: string,
    @Query() query: unknown,
  ): Promise<UploadAnswer> {
    const { upload_id: uploadId, wait } = retryQuery.parse(query);
    const organization = organizationOf(request);
    this.rates.admit(organization.share);
    const uploader = uploaderOf(request);
    const result = await this.pipeline.retry({ organization, stream, uploadId, uploader });
    const { position, first } = result;
    if (wait === 'true' && position) await this.progress.awaitWritten(position, first);
    return toAnswer(result);
  }
}
