import type { IngestQueue } from '@app/ingest-queue';
import { queueKeyOf } from '@app/intake';
import type { RequestOrganization } from '@app/platform';
import { TailSource, type WrittenTo } from '@app/query';
import type { StreamsProjection } from '@app/streams';

/** All new rows of a stream are in batches of one key, and so in one partition of the queue. */
export class QueueTails extends TailSource {
  constructor(
    private readonly streams: StreamsProjection,
    private readonly queue: IngestQueue,
  ) {
    super();
  }

  async written(organization: RequestOrganization, name: string): Promise<WrittenTo | undefined> {
    const stream = this.streams.findFor(organization, name);
    if (!stream) return undefined;
    const { partition, offset } = await this.queue.written(queueKeyOf(stream.database, name));
    return { streamId: stream.id, partition, offset };
  }
}
