import { Controller, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { FailuresAs } from '@app/http';
import { Describe, MillraceError, Requires, type AuthenticatedRequest } from '@app/platform';
import { PROTOBUF } from '../protobuf/media-types.js';
import { answerPlainly, asText } from '../protobuf/plain-answer.js';
import { snappyPacking } from '../protobuf/snappy-block.js';
import { LineUploads } from '../upload/line-uploads.js';
import { streamNameOf } from '../upload/request/stream-header.js';
import { INTAKE_FAILURES } from '../upload/request/upload-intake.js';
import { waitQuery } from '../upload/request/wait-query.js';
import { sampleLines } from './write-request.js';

const STREAM = 'prometheus';
const BYTES_MAX = 64 * 1024 * 1024;
/** The version with another format of messages. */
const VERSION_2 = /proto\s*=\s*"?io\.prometheus\.write\.v2/;

/** Prometheus' remote write, version 1: its URL is `/api/{org}/prometheus/api/v1/write`. */
@Controller('api/:org/prometheus/api/v1')
@Requires('upload')
export class PrometheusController {
  constructor(private readonly uploads: LineUploads) {}

  @Post('write')
  @HttpCode(204)
  @FailuresAs(asText)
  @Describe({
    tag: 'Loki and Prometheus agents',
    summary: 'Store samples by remote write, version 1: protobuf with Snappy',
    body: {
      schema: z.string().meta({ format: 'binary' }),
      example: 'a WriteRequest',
      contentType: PROTOBUF,
    },
    query: waitQuery,
    status: 204,
    failureType: 'text/plain',
    failures: { MALFORMED_BODY: 'the body is no block of Snappy', ...INTAKE_FAILURES },
  })
  async write(
    @Req() request: AuthenticatedRequest,
    @Query() query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { wait } = waitQuery.parse(query);
    // A client that supports both versions sends the first one after this answer.
    if (VERSION_2.test(request.headers['content-type'] ?? ''))
      throw new MillraceError('UNSUPPORTED_ENCODING', 'want version 1: prometheus.WriteRequest');
    const stored = await this.uploads.store(request, {
      ...snappyPacking(request),
      maxBytes: BYTES_MAX,
      weight: 1,
      linesOf: sampleLines,
      stream: streamNameOf(request) ?? STREAM,
      wait: wait === 'true',
    });
    await answerPlainly(reply, stored);
  }
}
