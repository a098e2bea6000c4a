import { Readable } from 'node:stream';
import { Controller, HttpCode, Post, Put, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Describe, Requires, type AuthenticatedRequest } from '@app/platform';
import { INTAKE_FAILURES, UploadIntake } from '../upload/request/upload-intake.js';
import { WriteProgress } from '@app/writer';
import { BulkPipeline } from './bulk.pipeline.js';
import type { BulkResult } from './bulk-request.js';
import { PRODUCT_HEADER } from '../elasticsearch/elasticsearch.controller.js';

/** Clients send many more parameters about how Elasticsearch should work. They are ignored. */
const bulkQuery = z.looseObject({
  /**
   * With this, the answer comes when the rows can be queried, not already when they are durable.
   */
  wait: z.enum(['true', 'false']).default('false'),
  /** The same parameter by Elasticsearch's name. */
  refresh: z.enum(['', 'true', 'false', 'wait_for']).default('false'),
});

const DESCRIPTION = {
  tag: 'Upload',
  summary:
    'Elasticsearch bulk: index and create actions, for any streams; one in the path is for those that name none',
  body: {
    schema: z.string(),
    example: '{"index":{"_index":"logs"}}\n{"status":200,"path":"/"}\n',
    contentType: 'application/x-ndjson',
  },
  query: bulkQuery,
  answer: { took: 12, errors: false, items: [{ index: { _index: 'logs', status: 201 } }] },
  failures: {
    MALFORMED_BODY:
      'malformed bulk request: line 1: want an action such as {"index":{"_index":"logs"}}, on one line',
    ...INTAKE_FAILURES,
  },
} as const;

/** Actions that name no stream go to the one in the path, where there is one. */
type BulkHttpRequest = AuthenticatedRequest & { readonly params: { readonly stream?: string } };

@Controller('api/:org')
@Requires('upload')
export class BulkController {
  constructor(
    private readonly pipeline: BulkPipeline,
    private readonly progress: WriteProgress,
    private readonly intake: UploadIntake,
  ) {}

  @Post(['_bulk', ':stream/_bulk'])
  @HttpCode(200)
  @Describe(DESCRIPTION)
  bulk(
    @Req() request: BulkHttpRequest,
    @Query() query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.store(request, query, reply);
  }

  @Put(['_bulk', ':stream/_bulk'])
  @Describe({ ...DESCRIPTION, summary: 'The same: some clients PUT' })
  put(
    @Req() request: BulkHttpRequest,
    @Query() query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.store(request, query, reply);
  }

  private async store(
    request: BulkHttpRequest,
    query: unknown,
    reply: FastifyReply,
  ): Promise<void> {
    const started = performance.now();
    const { wait, refresh } = bulkQuery.parse(query);
    const taken = await this.intake.take(request);
    const { items, rejections, refused, positions } = await this.pipeline.upload({
      ...taken,
      defaultStream: request.params.stream,
    });
    if (wait === 'true' || refresh !== 'false') await this.written(positions);
    const took = Math.round(performance.now() - started);
    void reply.type('application/json; charset=utf-8').headers(PRODUCT_HEADER);
    await reply.send(Readable.from(items.answer(rejections, took, refused)));
  }

  private async written(positions: BulkResult['positions']): Promise<void> {
    if (!positions) return this.progress.allWritten();
    await Promise.all(positions.map((position) => this.progress.awaitWritten(position)));
  }
}
