import { Args, Context, Field, Float, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { organizationOf, Requires, type AuthenticatedRequest } from '@app/platform';
import { StreamsProjection } from '../projections/streams.projection.js';
import { StreamRecords, type StreamRecord } from './stream-records.js';

@ObjectType('StreamStats')
class StreamStats {
  @Field(() => Float) doc_num!: number;
  @Field(() => Float, { description: 'Microseconds since the epoch' }) doc_time_min!: number;
  @Field(() => Float, { description: 'Microseconds since the epoch' }) doc_time_max!: number;
  @Field(() => Float, { description: 'MB of 1,048,576 bytes, before compression' })
  storage_size!: number;
  @Field(() => Float, { description: 'MB of 1,048,576 bytes' }) compressed_size!: number;
}

@ObjectType('StreamColumn')
class StreamColumn {
  @Field(() => String) name!: string;
  @Field(() => String, { description: "Arrow's name of it" }) type!: string;
}

@ObjectType('StreamSettings')
class StreamSettingsRecord {
  @Field(() => Float, { description: 'Days; 0: all rows are kept' }) data_retention!: number;
  @Field(() => [String]) full_text_search_keys!: string[];
  @Field(() => [String]) partition_keys!: string[];
  @Field(() => [String]) order_by!: string[];
}

@ObjectType('Stream')
class StreamInGraphql {
  @Field(() => String) name!: string;
  @Field(() => String) stream_type!: string;
  @Field(() => String) storage_type!: string;
  @Field(() => StreamStats) stats!: StreamStats;
  @Field(() => [StreamColumn]) schema!: StreamColumn[];
  @Field(() => StreamSettingsRecord) settings!: StreamSettingsRecord;
}

/** The streams of the organization, in the GraphQL schema of metadata. */
@Resolver(() => StreamInGraphql)
@Requires('view')
export class StreamsResolver {
  constructor(
    private readonly streams: StreamsProjection,
    private readonly records: StreamRecords,
  ) {}

  @Query(() => [StreamInGraphql], { name: 'streams', description: 'By name' })
  list(
    @Context('request') request: AuthenticatedRequest,
    @Args('keyword', { type: () => String, defaultValue: '', description: 'In the name' })
    keyword: string,
  ): Promise<readonly StreamRecord[]> {
    const streams = this.streams.listFor(organizationOf(request));
    return this.records.of(
      streams.filter(({ name }) => name.includes(keyword)),
      true,
    );
  }
}
