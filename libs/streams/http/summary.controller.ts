import { Controller, Get, Req } from '@nestjs/common';
import { Describe, organizationOf, Requires, type AuthenticatedRequest } from '@app/platform';
import { REJECTED_TABLE, StreamStatistics } from '@app/warehouse';
import { StreamsProjection } from '../projections/streams.projection.js';
import { MEGABYTE, StreamRecords, type StreamRecord } from './stream-records.js';

/** Counts the members of an organization; the app provides it. */
export abstract class MemberCount {
  abstract of(organizationId: string): number;
}

interface Summary {
  readonly streams: readonly StreamRecord[];
  readonly num_streams: number;
  readonly total_records: number;
  /** Bytes, before compression. */
  readonly total_storage_size: number;
  readonly users: number;
  readonly rejected_records: number;
}

@Controller('api/:org/summary')
@Requires('view')
export class SummaryController {
  constructor(
    private readonly streams: StreamsProjection,
    private readonly records: StreamRecords,
    private readonly statistics: StreamStatistics,
    private readonly members: MemberCount,
  ) {}

  @Get()
  @Describe({
    tag: 'Organizations',
    summary: 'What the organization has',
    answer: {
      streams: [],
      num_streams: 0,
      total_records: 0,
      total_storage_size: 0,
      users: 1,
      rejected_records: 0,
    },
  })
  async summary(@Req() request: AuthenticatedRequest): Promise<Summary> {
    const { id, database } = organizationOf(request);
    const [streams, rejected] = await Promise.all([
      this.records.of(this.streams.list(id), false),
      this.statistics.statistics(database, [REJECTED_TABLE]),
    ]);
    return {
      streams,
      num_streams: streams.length,
      total_records: streams.reduce((sum, { stats }) => sum + stats.doc_num, 0),
      total_storage_size:
        streams.reduce((sum, { stats }) => sum + stats.storage_size, 0) * MEGABYTE,
      users: this.members.of(id),
      rejected_records: rejected.get(REJECTED_TABLE)?.rows ?? 0,
    };
  }
}
