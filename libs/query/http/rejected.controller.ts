import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import {
  Describe,
  MillraceError,
  organizationOf,
  Requires,
  type AuthenticatedRequest,
} from '@app/platform';
import { quoteText } from '@app/warehouse';
import { Catalog } from '../catalog.js';
import { QueryPipeline } from '../query.pipeline.js';
import { streamResult } from './answers/stream-result.js';

const SIZE_MAX = 10_000;

const rejectedQuery = z.strictObject({
  from: z.coerce.number().int().min(0).default(0),
  size: z.coerce.number().int().min(1).max(SIZE_MAX).default(100),
});

@Controller()
@Requires('query')
export class RejectedController {
  constructor(
    private readonly queries: QueryPipeline,
    private readonly catalog: Catalog,
  ) {}

  @Get(':stream/_rejected')
  @Describe({
    tag: 'Streams',
    summary: 'Records of a stream that did not fit, newest upload first, with the reason',
    query: rejectedQuery,
    answer: [
      {
        _timestamp: '2026-11-21T09:30:00.000000Z',
        upload_id: '01K9ZZ0000000000000000000C',
        line: 3,
        reason:
          'field "price": string does not fit the column\'s type, Nullable(Float64), without loss',
        record: '{"item":"cup","price":"four"}',
      },
    ],
    failures: {
      NOT_ACCEPTABLE:
        'none of Accept: image/png can be sent; ask for application/json, application/x-ndjson, …',
      STREAM_NOT_FOUND: 'stream not found',
      INVALID_PARAMETER: 'size: want at most 10000',
    },
  })
  async rows(
    @Req() request: AuthenticatedRequest,
    @Param('stream') name: string,
    @Query() query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { from, size } = rejectedQuery.parse(query);
    const organization = organizationOf(request);
    if (name.startsWith('_') || !this.catalog.table(organization, name))
      throw new MillraceError('STREAM_NOT_FOUND', 'stream not found', { detail: name });
    const sql =
      `SELECT _timestamp, upload_id, line, reason, record FROM _rejected WHERE stream = ${quoteText(name)}` +
      ` ORDER BY _timestamp DESC, upload_id DESC, line LIMIT ${size} OFFSET ${from}`;
    // The statement is our own and reads no other stream, so a caller who may see only this stream
    // may run it.
    const { id, name: ofName, database, share } = organization;
    const whole = { id, name: ofName, database, share };
    await streamResult(this.queries, whole, sql, request, reply);
  }
}
