import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs from 'kafkajs';
import { rounds } from '../rounds.js';
import { Cluster } from '../faults/exactly-once/cluster.js';

const { Kafka, logLevel } = kafkajs;
const TIMEOUT_MS = 480_000;
/** Uploads of a stream pause for so long, because CI has other suites. */
const PAUSE_MS = rounds(50, 0);
/** There is a stream for each partition, and some partitions have two. */
const STREAMS = Array.from({ length: 16 }, (_, n) => `elastic${n}`);

describe('writers that come and go', () => {
  let cluster: Cluster;
  let next = 0;
  const accepted = new Map<string, number>();

  beforeAll(async () => {
    cluster = await Cluster.start();
  }, TIMEOUT_MS);
  afterAll(() => cluster.dispose(), TIMEOUT_MS);

  const upload = async (stream: string, wait: boolean): Promise<void> => {
    const body = JSON.stringify([{ n: (next += 1) }]);
    const path = `/api/default/${stream}/_json${wait ? '?wait=true' : ''}`;
    const answer = await cluster.api.client.call(path, { body });
    expect([answer.status, answer.bytes.toString()]).toEqual([200, expect.any(String)]);
    accepted.set(stream, (accepted.get(stream) ?? 0) + 1);
  };
  /** Resolves when rows put on every partition now are in their tables. */
  const allWritten = () => Promise.all(STREAMS.map((stream) => upload(stream, true)));
  /** Counts the members of the writers' group, as Kafka sees it. */
  const members = async (): Promise<number> => {
    const admin = new Kafka({ brokers: [cluster.kafka.brokers], logLevel: logLevel.NOTHING }).admin(); // prettier-ignore
    await admin.connect();
    const { groups } = await admin.describeGroups([`${cluster.namespace}.writers`]);
    await admin.disconnect();
    return groups[0]?.members.length ?? 0;
  };
  /** Uploads until the action beside it has ended. */
  const underLoad = async (work: () => Promise<unknown>): Promise<void> => {
    let ended = false;
    const load = STREAMS.slice(0, 2).map(async (stream) => {
      while (!ended) {
        await upload(stream, false);
        await sleep(PAUSE_MS);
      }
    });
    await work().finally(() => (ended = true));
    await Promise.all(load);
  };

  it(
    'lose and double nothing; one that stops in good order is not waited for',
    async () => {
      await allWritten();
      await underLoad(async () => {
        await cluster.writer(0).stop();
        // For a member that is simply gone, Kafka would wait for the session's 10 seconds.
        expect(await members()).toBe(1);
        await allWritten();
      });
      await underLoad(async () => {
        await cluster.startWriter(0);
        await allWritten();
      });
      await underLoad(async () => {
        await cluster.writer(1).kill();
        await allWritten();
      });
      await underLoad(async () => {
        await cluster.startWriter(1);
        await allWritten();
      });
      // The load goes on a little after the action, because its last rows must be stored too.
      await allWritten();
      for (const stream of STREAMS) {
        const [row] = await cluster.api.client.sql(
          `SELECT count() AS rows, uniqExact(n) AS different FROM ${stream}`,
        );
        const count = accepted.get(stream);
        expect(row).toEqual({ rows: count, different: count });
      }
    },
    TIMEOUT_MS,
  );
});
