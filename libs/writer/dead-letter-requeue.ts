import { OperatorError } from '@app/platform';
import type { StreamsProjection } from '@app/streams';
import { FencedError, type WarehouseWriter } from '@app/warehouse';
import { fromHeaders } from './batch.js';
import { isRemoval, readRemoval } from './rejected-removal.js';
import type { DeadBatch, DeadLetter } from './dead-letter.js';
import { groupBatches } from './group-batches.js';
import type { GroupInserter } from './insert-group.js';

/**
 * `stored`: it is in its table, now or before; `gone`: its stream, or its organization, was
 * deleted, and so is the batch.
 */
type RequeueOutcome = 'stored' | 'gone';

/**
 * Puts batches of the dead letter into their tables, each once, as a writer would: with their
 * position in the queue, by which the table shows whether they are there.
 */
export class DeadLetterRequeue {
  constructor(
    private readonly deadLetter: DeadLetter,
    private readonly inserter: GroupInserter,
    private readonly writer: Pick<WarehouseWriter, 'storedOffsets'>,
    private readonly streams: Pick<StreamsProjection, 'isGone'>,
  ) {}

  /**
   * The batch leaves the dead letter when this resolves, and stays in it otherwise.
   * @throws the table's error, or that no row of the batch was stored
   */
  async one(batch: DeadBatch): Promise<RequeueOutcome> {
    const { headers, position } = batch;
    const isGone = this.streams.isGone(headers.streamId ?? '', headers.database ?? '');
    if (!isGone) {
      try {
        await this.store(batch);
      } catch (error) {
        if (!(error instanceof FencedError)) throw error;
        throw new OperatorError(`partition ${position.partition} is being written; try again`, {
          cause: error,
        });
      }
    }
    await this.deadLetter.forget(batch);
    return isGone ? 'gone' : 'stored';
  }

  private async store(batch: DeadBatch): Promise<void> {
    const { partition, offset } = batch.position;
    const record = await this.deadLetter.read(batch);
    const removal = isRemoval(record) ? readRemoval(record) : undefined;
    if (removal) return this.inserter.remove(removal);
    const { table } = fromHeaders(batch.headers);
    // Without an epoch, the inserter claims the partition after all earlier writers.
    await this.inserter.begin({ partition, epoch: undefined, records: [record] });
    for (const group of groupBatches([record]).groups) await this.inserter.insert(group);
    const stored = await this.writer.storedOffsets(table, partition, offset);
    if (!stored.has(offset)) throw new OperatorError('its table is another stream’s by now');
  }
}
