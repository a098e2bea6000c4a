import { Injectable } from '@nestjs/common';
import { ulid } from '@app/platform';
import { Backoff } from '@app/flow';
import { ForeignMessages, type DeadMessage, type ForeignDelivery } from '@app/ingest-queue';
import type { Logger } from '@app/platform';
import { Spool } from '../spool/spool.js';
import { AcceptedStore } from '../store/store-accepted.js';
import { MessageAcceptor } from './accept-messages.js';
import { MessagePlaces } from './message-places.js';
import type { PlacedMessage } from './place-message.js';
import { tracedFor } from './trace-messages.js';

/** The limit for one acceptance of each stream in a delivery: a chunk of an upload has the same. */
const DELIVERY = { maxMessages: 20_000, maxBytes: 8 * 1024 * 1024 };
/** The number of keys whose messages are being processed at once. */
const UPLOADS = 16;
/**
 * The owner of a delivery's files. A delivery may belong to many organizations, and has a limit of
 * its own.
 */
const FOREIGN = 'other producers';
const BACKOFF_MS = { first: 200, most: 10_000 };

/**
 * The way of a foreign producer's messages: place → accept → put on the queue and move on, in one
 * step. A record that does not fit its stream is kept in `_rejected`, as in any upload. A message
 * without a place goes to the dead letters. A message with an Idempotency-Key is an upload of its
 * own.
 */
@Injectable()
export class ForeignUploadsPipeline {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly messages: ForeignMessages,
    private readonly places: MessagePlaces,
    private readonly acceptor: MessageAcceptor,
    private readonly store: AcceptedStore,
    private readonly spool: Spool,
  ) {}

  start(logger: Logger): void {
    this.running = this.run(logger);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(logger: Logger): Promise<void> {
    const { signal } = this.stopping;
    const backoff = new Backoff(BACKOFF_MS);
    for await (const delivery of this.messages.consume({ ...DELIVERY, signal })) {
      try {
        await this.take(delivery);
        backoff.reset();
      } catch (error) {
        logger.error(
          { err: error },
          'messages of other producers could not be taken; they come again',
        );
        await backoff.wait(signal);
        await delivery.release();
      }
    }
  }

  private take(delivery: ForeignDelivery): Promise<void> {
    return this.spool.use(ulid(), FOREIGN, async (directory) => {
      const dead: DeadMessage[] = [];
      const bury = (each: DeadMessage): void => void dead.push(each);
      const placed: PlacedMessage[] = [];
      const keyed = new Map<string, PlacedMessage[]>();
      for (const place of await this.places.find(delivery.messages, bury)) {
        const { idempotencyKey: key } = place;
        if (key === undefined) placed.push(place);
        else keyed.set(key, [...(keyed.get(key) ?? []), place]);
      }
      let isStored = false;
      try {
        // Messages with one key are processed one after the other; the first one counts.
        await severalAtOnce([...keyed], async ([key, alike]) => {
          for (const place of alike)
            await tracedFor([place], () => this.acceptor.upload(place, key, bury));
        });
        const accepted = await this.acceptor.accept(placed, directory, bury);
        await this.store.storeBy(accepted, async (records) => {
          await delivery.finish(records, dead);
          return 'stored';
        });
        isStored = true;
      } finally {
        // A message that is an upload of its own has counted itself.
        this.places.giveBack([...keyed.values()].flat());
        if (!isStored) this.places.giveBack(placed);
      }
    });
  }
}

/** @throws the error of the first that fails, when all that began have ended. */
async function severalAtOnce<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const runs = Array.from({ length: UPLOADS }, async () => {
    for (let next = left.shift(); next; next = left.shift()) await work(next);
  });
  const ended = await Promise.allSettled(runs);
  const failed = ended.find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
}
