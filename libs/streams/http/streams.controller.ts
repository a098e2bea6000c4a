import { Controller, Get, Param, Query, Req } from '@nestjs/common';
import { z } from 'zod';
import { MillraceError, organizationOf, Requires, type AuthenticatedRequest } from '@app/platform';
import { StreamStatistics, TIMESTAMP, type TableStatistics } from '@app/warehouse';
import { arrowName } from '../aggregates/column-types.js';
import { StreamsProjection, type StreamDescription } from '../projections/streams.projection.js';

/** As API.md, "Streams", shows it; times in microseconds since the epoch, sizes in bytes. */
interface StreamRecord {
  readonly name: string;
  readonly stream_type: 'logs';
  readonly storage_type: 'disk';
  readonly stats: {
    readonly doc_num: number;
    readonly doc_time_min: number;
    readonly doc_time_max: number;
    readonly storage_size: number;
    readonly compressed_size: number;
  };
  readonly schema?: readonly { readonly name: string; readonly type: string }[];
  readonly settings: Readonly<Record<string, unknown>>;
}

const LIST_MAX = 10_000;

const listQuery = z.strictObject({
  fetchSchema: z.enum(['true', 'false']).default('false'),
  keyword: z.string().default(''),
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(LIST_MAX).default(LIST_MAX),
});

@Controller('api/:org')
@Requires('view')
export class StreamsController {
  constructor(
    private readonly streams: StreamsProjection,
    private readonly statistics: StreamStatistics,
  ) {}

  @Get('streams')
  async list(
    @Req() request: AuthenticatedRequest,
    @Query() query: unknown,
  ): Promise<{ list: readonly StreamRecord[]; total: number }> {
    const { fetchSchema, keyword, offset, limit } = listQuery.parse(query);
    const streams = this.streams
      .list(organizationOf(request).id)
      .filter((stream) => stream.name.includes(keyword));
    const page = streams.slice(offset, offset + limit);
    return { list: await this.records(page, fetchSchema === 'true'), total: streams.length };
  }

  @Get(['streams/:stream/schema', ':stream/schema'])
  async schema(
    @Req() request: AuthenticatedRequest,
    @Param('stream') name: string,
  ): Promise<StreamRecord> {
    const stream = this.streams.find(organizationOf(request).id, name);
    const [record] = stream ? await this.records([stream], true) : [];
    if (!record) throw new MillraceError('STREAM_NOT_FOUND', 'stream not found', { detail: name });
    return record;
  }

  private async records(
    streams: readonly StreamDescription[],
    withSchema: boolean,
  ): Promise<readonly StreamRecord[]> {
    const database = streams[0]?.database;
    if (database === undefined) return [];
    const statistics = await this.statistics.statistics(
      database,
      streams.map((stream) => stream.name),
    );
    return streams.map((stream) => toRecord(stream, statistics.get(stream.name), withSchema));
  }
}

function toRecord(
  stream: StreamDescription,
  statistics: TableStatistics | undefined,
  withSchema: boolean,
): StreamRecord {
  const schema = [TIMESTAMP, ...stream.columns].map(({ name, type }) => ({
    name,
    type: arrowName(type),
  }));
  return {
    name: stream.name,
    stream_type: 'logs',
    storage_type: 'disk',
    stats: {
      doc_num: statistics?.rows ?? 0,
      doc_time_min: statistics?.timeMin ?? 0,
      doc_time_max: statistics?.timeMax ?? 0,
      storage_size: statistics?.uncompressedBytes ?? 0,
      compressed_size: statistics?.compressedBytes ?? 0,
    },
    ...(withSchema ? { schema } : {}),
    settings: {},
  };
}
