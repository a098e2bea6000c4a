import { Backoff } from '@app/flow';
import { NETWORK_ERROR, WarehouseError } from '@app/warehouse';

/** An insert may lose its answer this often. An engine that has ended is started again. */
const LOST_MAX = 3;
const BACKOFF_MS = { first: 100, most: 1000 };

/** The answers that were lost of one insert, which is made again. */
export class LostAnswers {
  private readonly backoff = new Backoff(BACKOFF_MS);
  private count = 0;

  /** Waits before the next attempt. @throws the error, if it is another one, or comes too often */
  async wait(error: unknown): Promise<void> {
    this.count += 1;
    const isLost = error instanceof WarehouseError && error.code === NETWORK_ERROR;
    if (!isLost || this.count > LOST_MAX) throw error;
    await this.backoff.wait();
  }
}
