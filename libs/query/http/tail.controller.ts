import { Readable } from 'node:stream';
import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import {
  callerOf,
  CallerStanding,
  Describe,
  organizationOf,
  Requires,
  type AuthenticatedRequest,
} from '@app/platform';
import { OpenTails } from '../tail/open-tails.js';
import { TailPipeline } from '../tail/tail.pipeline.js';
import { abortedWith } from './answers/aborted-with.js';
import { sendRows } from './answers/send-rows.js';

const ROWS_MAX = 1000;
const SENT_AHEAD_BYTES = 16 * 1024;

const tailQuery = z.strictObject({
  filter: z
    .string()
    .default('')
    .describe('A condition of SQL, as after WHERE, with the functions of search; all rows without'),
  rows: z.coerce
    .number()
    .int()
    .min(0)
    .max(ROWS_MAX)
    .default(0)
    .describe('Begin with so many of the newest rows; not where Last-Event-ID is sent'),
});

@Controller()
@Requires('query')
export class TailController {
  constructor(
    private readonly tails: TailPipeline,
    private readonly open: OpenTails,
    private readonly standing: CallerStanding,
  ) {}

  @Get(':stream/_tail')
  @Describe({
    tag: 'Queries',
    summary: 'New rows of a stream as they come, as server-sent events',
    query: tailQuery,
    answerType: 'text/event-stream',
    answer:
      'retry: 2000\nevent: begin\nid: 01K9ZZ0000000000000000000B.8192.7.0\ndata: {}\n\n' +
      'id: 01K9ZZ0000000000000000000B.8192.7.1\ndata: {"_timestamp":1763717400000000,"status":200}\n\n',
    failures: {
      STREAM_NOT_FOUND: 'stream not found',
      INVALID_PARAMETER:
        'Last-Event-ID is of a stream that was deleted, or of a queue that is there no more; begin anew without it',
      TOO_MANY_REQUESTS: 'you have 8 open tails, and no more may be at a time; close one',
    },
  })
  async tail(
    @Req() request: AuthenticatedRequest,
    @Param('stream') stream: string,
    @Query() query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { filter, rows } = tailQuery.parse(query);
    const organization = organizationOf(request);
    const left = abortedWith(reply);
    const { stopping, close } = this.open.begin(organization, callerOf(request));
    try {
      const events = await this.tails.open({
        organization,
        stream,
        filter,
        rows,
        lastEventId: lastEventId(request),
        isAllowed: this.standing.of(request),
        left,
        stopping,
      });
      void reply.headers({
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'private, no-store',
        // Without this header, nginx would hold events back until its buffer is full.
        'X-Accel-Buffering': 'no',
      });
      if (request.method === 'HEAD') {
        await reply.send();
        return;
      }
      const text = Readable.from(events, { objectMode: false, highWaterMark: SENT_AHEAD_BYTES });
      await sendRows(text, reply);
    } finally {
      close();
    }
  }
}

function lastEventId({ headers }: AuthenticatedRequest): string | undefined {
  const sent = headers['last-event-id'];
  const id = Array.isArray(sent) ? sent[0] : sent;
  return id === undefined || id === '' ? undefined : id;
}
