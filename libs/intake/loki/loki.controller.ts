import { Controller, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { FailuresAs } from '@app/http';
import { Describe, Requires, type AuthenticatedRequest } from '@app/platform';
import { JSON_TYPE, PROTOBUF, wantedEncoding } from '../protobuf/media-types.js';
import { answerPlainly, asText } from '../protobuf/plain-answer.js';
import { snappyPacking } from '../protobuf/snappy-block.js';
import { LineUploads } from '../upload/line-uploads.js';
import { streamNameOf } from '../upload/request/stream-header.js';
import { INTAKE_FAILURES } from '../upload/request/upload-intake.js';
import { waitQuery } from '../upload/request/wait-query.js';
import { entryLines, jsonEntryLines } from './push-request.js';

const STREAM = 'loki';
const MIB = 1024 * 1024;
const BOUNDS = {
  [PROTOBUF]: { maxBytes: 64 * MIB, weight: 1, linesOf: entryLines },
  [JSON_TYPE]: { maxBytes: 10 * MIB, weight: 10, linesOf: jsonEntryLines },
} as const;

/** Loki's push interface: an agent's URL is `/api/{org}/loki/api/v1/push`. */
@Controller('api/:org/loki/api/v1')
@Requires('upload')
export class LokiController {
  constructor(private readonly uploads: LineUploads) {}

  @Post('push')
  @HttpCode(204)
  @FailuresAs(asText)
  @Describe({
    tag: 'Loki and Prometheus agents',
    summary: 'Store lines as agents of Loki send them: protobuf with Snappy, or JSON',
    body: {
      schema: z.looseObject({}),
      example: {
        streams: [{ stream: { app: 'shop' }, values: [['1795439974406741761', 'started']] }],
      },
    },
    query: waitQuery,
    status: 204,
    failureType: 'text/plain',
    failures: { MALFORMED_BODY: 'the body is no block of Snappy', ...INTAKE_FAILURES },
  })
  async push(
    @Req() request: AuthenticatedRequest,
    @Query() query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { wait } = waitQuery.parse(query);
    const encoding = wantedEncoding(request.headers['content-type']);
    const stored = await this.uploads.store(request, {
      ...BOUNDS[encoding],
      ...(encoding === PROTOBUF ? snappyPacking(request) : {}),
      stream: streamNameOf(request) ?? STREAM,
      wait: wait === 'true',
    });
    await answerPlainly(reply, stored);
  }
}
