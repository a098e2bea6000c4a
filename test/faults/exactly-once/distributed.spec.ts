import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs, { type Producer } from 'kafkajs';
import { seededRandom } from '../../fixtures/seeded-random.js';
import { rounds, roundsMs } from '../../rounds.js';
import { until } from '../../server/until.js';
import { Cluster } from './cluster.js';
import { LAST, Load, recordsOf, STREAMS, type Sent } from './load.js';

/** A writer may not be silent for so long: others have its partitions when it wakes up. */
const ZOMBIE_MS = 13_000;

describe('exactly once with Kafka and two writers', () => {
  const random = seededRandom(20_261_121);
  const between = (least: number, most: number): number => least + random() * (most - least);
  const either = (): 0 | 1 => (random() < 0.5 ? 0 : 1);
  let cluster: Cluster;
  let producer: Promise<Producer> | undefined;
  const counts = new Map<string, number>();
  /** Batches that were written before and were delivered once more. */
  let redelivered = 0;

  beforeAll(async () => {
    cluster = await Cluster.start();
  }, 120_000);
  afterAll(async () => {
    await (await producer)?.disconnect();
    await cluster.dispose();
  });

  async function connected(): Promise<Producer> {
    const { Kafka, logLevel } = kafkajs;
    const brokers = [cluster.kafka.brokers];
    const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING });
    const other = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
    await other.connect();
    return other;
  }

  /**
   * kafkajs gives the sequence of a message that failed for good to the next one, which the broker
   * takes for the same if that was stored after all: another producer sends what comes then.
   */
  async function replace(failed: Producer): Promise<void> {
    producer = undefined;
    await failed.disconnect().catch(() => undefined);
  }

  const faults: Record<string, () => Promise<void>> = {
    'a writer is killed': async () => {
      const index = either();
      await cluster.writer(index).kill();
      await sleep(between(0, 500));
      await cluster.startWriter(index);
    },
    'a writer leaves in good order': async () => {
      const index = either();
      await cluster.writer(index).stop();
      await cluster.startWriter(index);
    },
    'the API is killed': async () => {
      await cluster.api.kill();
      await cluster.startApi();
    },
    'the broker is paused': async () => {
      cluster.kafka.pause();
      await sleep(between(200, 2500));
      cluster.kafka.resume();
    },
    'the broker is killed': async () => {
      await cluster.kafka.kill();
      await cluster.kafka.restart();
    },
    'ClickHouse is killed': () => cluster.restartClickHouse(),
    'a writer is paused for a moment': async () => {
      const { process } = cluster.writer(either());
      process.kill('SIGSTOP');
      await sleep(between(100, 1000));
      process.kill('SIGCONT');
    },
    'a writer is taken for dead and wakes up': async () => {
      const { process } = cluster.writer(either());
      process.kill('SIGSTOP');
      await sleep(ZOMBIE_MS);
      process.kill('SIGCONT');
    },
    'batches are delivered again from the beginning': async () => {
      await Promise.all([cluster.writer(0).stop(), cluster.writer(1).stop()]);
      redelivered += await cluster.rewind();
      await Promise.all([cluster.startWriter(0), cluster.startWriter(1)]);
    },
    'everything is killed': async () => {
      await Promise.all([
        cluster.api.kill(),
        cluster.writer(0).kill(),
        cluster.writer(1).kill(),
        cluster.kafka.kill(),
      ]);
      await Promise.all([
        cluster.kafka.restart(),
        cluster.restartClickHouse(),
        cluster.restartEventStore(),
      ]);
      await Promise.all([cluster.startApi(), cluster.startWriter(0), cluster.startWriter(1)]);
    },
  };
  /** Each fault comes so often. */
  const plan: Record<string, number> = {
    'a writer is killed': rounds(1, 28),
    'a writer leaves in good order': rounds(1, 12),
    'the API is killed': rounds(1, 18),
    'the broker is paused': rounds(1, 14),
    'the broker is killed': rounds(1, 4),
    'ClickHouse is killed': rounds(1, 10),
    'a writer is paused for a moment': rounds(1, 10),
    'a writer is taken for dead and wakes up': rounds(1, 4),
    'batches are delivered again from the beginning': rounds(1, 6),
    'everything is killed': rounds(1, 4),
  };
  const due = Object.entries(plan).flatMap(([name, times]) => Array<string>(times).fill(name));

  /**
   * A message of another producer. With its key it is sent until the broker says that it has it;
   * without, once: the producer's own sequence makes it one message.
   */
  async function produce(count: number): Promise<Sent> {
    const sent: Sent = { id: `foreign-${count}`, records: 1 + (count % 40), acknowledged: false };
    const isKeyed = count % 2 === 0;
    const headers = {
      organization: 'default',
      stream: 'two',
      ...(isKeyed ? { 'idempotency-key': sent.id } : {}),
    };
    for (let attempt = 0; attempt < (isKeyed ? 100 : 1) && !sent.acknowledged; attempt += 1) {
      try {
        const other = await (producer ??= connected());
        const messages = [{ value: recordsOf(sent), headers }];
        await other
          .send({ topic: `${cluster.namespace}.uploads`, acks: -1, messages })
          .catch(async (error: unknown) => {
            await replace(other);
            throw error;
          });
        sent.acknowledged = true;
      } catch {
        // The producer is dropped also where it could not connect.
        producer = undefined;
      }
    }
    await sleep(50);
    return sent;
  }

  it(
    `loses nothing and doubles nothing in ${due.length} faults`,
    async () => {
      const load = new Load(() => cluster.api.client);
      load.start();
      load.also(produce);
      const shuffled = due
        .map((name) => ({ name, at: random() }))
        .sort((one, other) => one.at - other.at);
      for (const { name } of shuffled) {
        await sleep(between(200, 1200));
        await faults[name]?.();
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
      await load.stop();
      await until(async () => {
        const { wrong } = await load.outcome();
        return wrong.length === 0;
      }, 180_000).catch(() => undefined);
      const { wrong, ...sums } = await load.outcome();
      const assignments = await cluster.assignments();
      console.log(
        `${shuffled.length} faults: ${JSON.stringify([...counts])}; ${redelivered} batches delivered again;` +
          ` partitions given ${assignments} times; ${JSON.stringify(sums)}`,
      );
      expect(wrong).toEqual([]);
      expect(sums.acknowledged).toBeGreaterThan(4 * shuffled.length);
      // Half of the faults move partitions; one counts when its new holder is given a batch.
      expect(assignments).toBeGreaterThan(shuffled.length / 3);
      // A batch that is delivered again after all was stored must not show up in the table. A
      // stream's batches are written in order: when the last one is there, all before it were
      // looked at.
      await cluster.api.client.upload('one', [{ u: LAST, n: 0, p: '' }]);
      const before = redelivered;
      await faults['batches are delivered again from the beginning']?.();
      expect(redelivered).toBeGreaterThan(before);
      for (const stream of STREAMS)
        await cluster.api.client.upload(stream, [{ u: LAST, n: 0, p: '' }]);
      expect((await load.outcome()).wrong).toEqual([]);
    },
    roundsMs(due.length),
  );
});
