import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { RequestOrganization } from '@app/platform';
import { WarehouseReader, type ResultFormat } from '@app/warehouse';
import { Guard } from './guard/guard.js';
import { toQueryFailure } from './query-failure.js';

export interface QueryRequest {
  /** As its author, or a frontend, wrote it. */
  readonly sql: string;
  readonly organization: RequestOrganization;
  readonly format: ResultFormat;
  readonly signal: AbortSignal;
}

/** The way of a query: statement → guard → warehouse → bytes. */
@Injectable()
export class QueryPipeline {
  constructor(
    private readonly guard: Guard,
    private readonly reader: WarehouseReader,
  ) {}

  /** @throws {MillraceError} before the first byte; later failures are the stream's. */
  async run({ sql, organization, format, signal }: QueryRequest): Promise<Readable> {
    const { statement } = await this.guard.admit(sql, organization);
    try {
      return await this.reader.stream({
        sql: statement,
        database: organization.database,
        format,
        signal,
      });
    } catch (error) {
      throw toQueryFailure(error, sql);
    }
  }
}
