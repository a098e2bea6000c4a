import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import kafkajs from 'kafkajs';
import {
  QueueFullError,
  type IngestQueue,
  type QueuedRecord,
  type QueuePosition,
} from '@app/ingest-queue';
import { openKafka, type OpenKafka } from '../../libs/ingest-queue/kafka/open-kafka.js';
import { TransactionalProducer } from '../../libs/ingest-queue/kafka/transactions.js';
import { KafkaServer } from '../server/kafka/kafka-server.js';
import { bytesOf, ingestQueueContract, take } from '../contract/ingest-queue.contract.js';

const MAX_BYTES = 10_000_000;
const log = { debug: () => undefined, warn: () => undefined, error: () => undefined };

describe('on Kafka', () => {
  let server: KafkaServer | undefined;
  let brokers: readonly string[];
  beforeAll(async () => {
    const given = process.env.KAFKA_BROKERS;
    if (given === undefined) server = await KafkaServer.start();
    brokers = (given ?? server?.brokers ?? '').split(',');
  }, 120_000);
  afterAll(() => server?.dispose());

  ingestQueueContract('Kafka', async () => {
    const namespace = `test-${randomUUID()}`;
    const directory = mkdtempSync(join(tmpdir(), 'millrace-queue-'));
    let now = Date.now;
    const open = () =>
      openKafka({
        brokers,
        log,
        namespace,
        nodeId: 'node',
        maxBytes: MAX_BYTES,
        // The contract speaks of one partition.
        partitions: 1,
        now: () => now(),
      });
    let { queue } = await open();
    return {
      queue,
      maxBytes: MAX_BYTES,
      setClock: (time) => (now = () => time),
      payloadFile: (name) => join(directory, name),
      reopen: async () => {
        await queue.close();
        ({ queue } = await open());
        return queue;
      },
      dispose: async () => {
        await queue.close();
        rmSync(directory, { recursive: true, force: true });
      },
    };
  });

  describe('with several nodes and partitions', () => {
    const open: OpenKafka[] = [];
    let namespace: string;
    beforeEach(() => (namespace = `test-${randomUUID()}`));
    afterEach(async () => {
      for (const { queue } of open.splice(0)) await queue.close();
    });
    const node = async (nodeId: string, maxBytes = MAX_BYTES): Promise<IngestQueue> => {
      const opened = await openKafka({ brokers, log, namespace, nodeId, maxBytes, partitions: 5 });
      open.push(opened);
      return opened.queue;
    };
    const record = (text: string, key = 'k') => ({
      key,
      headers: { text },
      payload: { bytes: Buffer.from(text) },
    });
    const texts = (records: readonly QueuedRecord[]): string[] =>
      records.map((each) => bytesOf(each).toString());

    it('lets one of many appends of one name be the one, whatever node they are of', async () => {
      const nodes = [await node('one'), await node('two'), await node('three')];
      const outcomes = await Promise.allSettled(
        Array.from({ length: 12 }, async (_, n) =>
          nodes[n % 3]?.append([record(`r${n}`, `k${n}`), record(`s${n}`, `l${n}`)], {
            name: 'n',
            fingerprint: `${n}`,
            answer: `${n}`,
          }),
        ),
      );
      const won = outcomes.findIndex(({ status }) => status === 'fulfilled');
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const each of nodes)
        expect(await each.appended('n')).toMatchObject({ answer: String(won) });
      const [first] = nodes;
      const taken = first ? await take(first, 2, true) : [];
      expect(texts(taken).sort()).toEqual([`r${won}`, `s${won}`]);
    });

    it('lets an append that renews an old name and a new one of that name, at another node, not both be', async () => {
      const [one, two] = [await node('one'), await node('two')];
      const position = { partition: 0, offset: 0n };
      for (let round = 0; round < 5; round += 1) {
        const old = { name: `old${round}`, fingerprint: 'f', answer: 'old' };
        const next = { name: `next${round}`, fingerprint: 'f', answer: 'next' };
        const outcomes = await Promise.allSettled([
          one.append([record('a')], { ...next, renews: [{ ...old, position }] }),
          two.append([record('b')], { ...old, answer: 'again' }),
        ]);
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        const renewed = outcomes[0].status === 'fulfilled';
        for (const each of [one, two])
          expect(await each.appended(old.name)).toMatchObject({
            answer: renewed ? 'old' : 'again',
          });
      }
    });

    it('delivers each key’s records in order, from whatever node they came, and knows when they are done', async () => {
      const [one, two] = [await node('one'), await node('two')];
      const keys = Array.from({ length: 20 }, (_, n) => `key${n}`);
      let last: readonly QueuePosition[] = [];
      for (let n = 0; n < 5; n += 1)
        for (const queue of [one, two])
          last = await queue.append(keys.map((key) => record(`${key}:${n}`, key)));
      const waiting = Promise.all(last.map((position) => one.awaitCommitted(position)));
      const taken = await take(two, 200, true);
      for (const key of keys) {
        const own = taken.filter((each) => each.key === key).map(({ headers }) => headers['text']);
        expect(own).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4].map((n) => `${key}:${n}`));
      }
      expect(new Set(taken.map(({ position }) => position.partition)).size).toBe(5);
      await waiting;
      await one.awaitAllCommitted();
    });

    it('ends at its start what a crash of this node left open, and holds nobody up', async () => {
      const before = await node('one');
      await before.append([record('first')]);
      const { Kafka, logLevel } = kafkajs;
      const crashed = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).producer({
        transactionalId: `${namespace}.two.0`,
        idempotent: true,
        maxInFlightRequests: 1,
        retry: { retries: 1 },
      });
      await crashed.connect();
      const transaction = await crashed.transaction();
      for (let partition = 0; partition < 5; partition += 1)
        await transaction.send({
          topic: `${namespace}.batches`,
          messages: [{ key: 'k', value: 'never committed', partition }],
        });
      await before.append([record('second')]);
      // The crash left a transaction open. It would block this read until the transaction times
      // out.
      const again = await node('two');
      expect(texts(await take(again, 2, true))).toEqual(['first', 'second']);
      await expect(transaction.commit()).rejects.toThrow();
      await crashed.disconnect();
    });

    it('takes an append into a transaction as long as the broker allows, and says when that was too short', async () => {
      const queue = await node('one');
      const { Kafka, logLevel } = kafkajs;
      const client = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
      const hasty = new TransactionalProducer(client, `${namespace}.two.0`, 500);
      const message = (value: string) => ({
        topic: `${namespace}.batches`,
        partition: 0,
        messages: [{ key: 'k', value, headers: { text: value } }],
      });
      const began = performance.now();
      const late = hasty.run(async (send) => {
        while (performance.now() < began + 1000) await send(message('too late'));
      });
      await expect(late).rejects.toMatchObject({
        kind: 'UPLOAD_TOO_LARGE',
        message: expect.stringContaining('within 0.5 s; nothing of it was stored') as string,
      });
      const patient = await hasty.sized(2 ** 40);
      await patient.run((send) => send(message('large')));
      await patient.discard();
      await hasty.run((send) => send(message('small')));
      await hasty.discard();
      expect(texts(await take(queue, 2, true))).toEqual(['large', 'small']);
    });

    it('tells a node which records another one has set aside, also when a third writes by then', async () => {
      const nodes = [await node('one'), await node('two'), await node('three')];
      const [asking, ...writers] = nodes;
      if (!asking) throw new Error('want one');
      const appended: QueuePosition[] = [];
      for (const writer of writers) {
        const [position] = await asking.append([record('a')]);
        if (!position) throw new Error('want a position');
        appended.push(position);
        const ending = new AbortController();
        const limits = { maxRecords: 10, maxBytes: 1e6, signal: ending.signal };
        for await (const delivery of writer.consume(limits)) {
          const isFirst = appended.length === 1;
          await delivery.commit(isFirst ? delivery.records.map((each) => each.position) : []);
          ending.abort();
        }
        await asking.awaitCommitted(position);
      }
      expect(appended.map((each) => asking.wasSetAside(each, each.offset))).toEqual([true, false]);
      const late = await node('four');
      expect(appended.map((each) => late.wasSetAside(each, each.offset))).toEqual([true, false]);
    });

    it('is another queue, with other partitions, when its topics are made anew', async () => {
      const [first] = await (await node('one')).append([record('a')]);
      namespace = `test-${randomUUID()}`;
      const [second] = await (await node('one')).append([record('a')]);
      expect(first?.offset).toBe(second?.offset);
      expect(first?.partition).not.toBe(second?.partition);
    });

    it('counts what other nodes have put there towards its bound', async () => {
      const one = await node('one');
      const bytes = Buffer.alloc(1_000_000);
      for (let n = 0; n < 10; n += 1)
        await one.append([{ key: 'k', headers: {}, payload: { bytes } }]);
      const two = await node('two', 100_000);
      await expect(two.append([record('a')])).rejects.toBeInstanceOf(QueueFullError);
      await take(one, 10, true);
      await two.append([record('a')]);
    });
  });
});
