import { Controller, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { FailuresAs } from '@app/http';
import { Describe, Requires, type AuthenticatedRequest } from '@app/platform';
import type { Shape } from '../protobuf/codec.js';
import { JSON_TYPE, wantedEncoding, type Encoding } from '../protobuf/media-types.js';
import { messageOf, readMessage } from '../protobuf/messages.js';
import { parseJson } from '../protobuf/parse-json.js';
import { ReadBounds } from '../protobuf/read-bounds.js';
import { LineUploads, type Lines } from '../upload/line-uploads.js';
import { streamNameOf } from '../upload/request/stream-header.js';
import { INTAKE_FAILURES } from '../upload/request/upload-intake.js';
import { waitQuery } from '../upload/request/wait-query.js';
import { answerOf, asStatus } from './export-answer.js';
import { pointLines } from './data-points.js';
import { logLines, LOGS_REQUEST } from './log-records.js';
import { METRICS_REQUEST } from './metric-shapes.js';
import { spanLines, TRACES_REQUEST } from './spans.js';

const MIB = 1024 * 1024;
/**
 * Collectors send a few requests at once, and a body is held in memory while it is read. JSON takes
 * several times its bytes.
 */
const BOUNDS = {
  'application/x-protobuf': { maxBytes: 64 * MIB, weight: 1 },
  [JSON_TYPE]: { maxBytes: 10 * MIB, weight: 10 },
} as const;

/** One of the three kinds of telemetry. */
interface Signal {
  /** The stream if no header names another one. */
  readonly stream: string;
  readonly request: Shape;
  readonly rejectedName: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what a shape reads, its lines take
  readonly linesOf: (request: any) => Lines;
}

const LOGS: Signal = {
  stream: 'otel_logs',
  request: LOGS_REQUEST,
  rejectedName: 'rejectedLogRecords',
  linesOf: logLines,
};

const TRACES: Signal = {
  stream: 'otel_traces',
  request: TRACES_REQUEST,
  rejectedName: 'rejectedSpans',
  linesOf: spanLines,
};

const METRICS: Signal = {
  stream: 'otel_metrics',
  request: METRICS_REQUEST,
  rejectedName: 'rejectedDataPoints',
  linesOf: pointLines,
};

const description = ({ rejectedName }: Signal, name: string, example: object) =>
  ({
    tag: 'OpenTelemetry',
    summary: `Store ${name}, as OTLP/HTTP sends them: protobuf, or JSON; the header stream-name may name another stream`,
    body: { schema: z.looseObject({}), example },
    query: waitQuery,
    answer: { partialSuccess: { [rejectedName]: '1', errorMessage: 'record 2: …' } },
    failures: {
      MALFORMED_BODY: 'the body is no such protobuf message: premature EOF',
      INVALID_NAME: 'stream name "_x": want 1 to 127 letters, digits, "_", "-" or "."',
      ...INTAKE_FAILURES,
    },
  }) as const;

/** OTLP/HTTP: the endpoint of an exporter is `/api/{org}`. */
@Controller('api/:org/v1')
@Requires('upload')
export class OtlpController {
  constructor(private readonly uploads: LineUploads) {}

  @Post('logs')
  @HttpCode(200)
  @FailuresAs(asStatus)
  @Describe(
    description(LOGS, 'log records', {
      resourceLogs: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] },
          scopeLogs: [{ logRecords: [{ severityText: 'INFO', body: { stringValue: 'started' } }] }],
        },
      ],
    }),
  )
  logs(
    @Req() request: AuthenticatedRequest,
    @Query() query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.store(request, query, reply, LOGS);
  }

  @Post('traces')
  @HttpCode(200)
  @FailuresAs(asStatus)
  @Describe(
    description(TRACES, 'spans', {
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] },
          scopeSpans: [
            {
              spans: [
                {
                  traceId: '5b8efff798038103d269b633813fc60c',
                  spanId: 'eee19b7ec3c1b174',
                  name: 'GET /',
                  kind: 2,
                  startTimeUnixNano: '1795439974406741761',
                  endTimeUnixNano: '1795439974506741761',
                },
              ],
            },
          ],
        },
      ],
    }),
  )
  traces(
    @Req() request: AuthenticatedRequest,
    @Query() query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.store(request, query, reply, TRACES);
  }

  @Post('metrics')
  @HttpCode(200)
  @FailuresAs(asStatus)
  @Describe(
    description(METRICS, 'data points of metrics', {
      resourceMetrics: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] },
          scopeMetrics: [
            {
              metrics: [
                {
                  name: 'queue.length',
                  unit: '1',
                  gauge: { dataPoints: [{ timeUnixNano: '1795439974406741761', asInt: '12' }] },
                },
              ],
            },
          ],
        },
      ],
    }),
  )
  metrics(
    @Req() request: AuthenticatedRequest,
    @Query() query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.store(request, query, reply, METRICS);
  }

  private async store(
    request: AuthenticatedRequest,
    query: unknown,
    reply: FastifyReply,
    signal: Signal,
  ): Promise<void> {
    const { wait } = waitQuery.parse(query);
    const encoding = wantedEncoding(request.headers['content-type']);
    const stored = await this.uploads.store(request, {
      ...BOUNDS[encoding],
      stream: streamNameOf(request) ?? signal.stream,
      linesOf: (body) => signal.linesOf(read(body, encoding, signal.request)),
      wait: wait === 'true',
    });
    await reply.type(encoding).send(answerOf(stored, encoding, signal.rejectedName));
  }
}

function read(body: Buffer, encoding: Encoding, shape: Shape): unknown {
  return encoding === JSON_TYPE
    ? messageOf(parseJson(body), shape, new ReadBounds())
    : readMessage(body, shape);
}
