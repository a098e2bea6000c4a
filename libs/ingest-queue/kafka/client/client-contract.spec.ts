import { checkedBroker, installedInternals, type ClientInternals } from './client-contract.js';

type Seed = (internals: ClientInternals) => Partial<ClientInternals>;
type AnyClass = new (...args: readonly unknown[]) => { messages: unknown };

/**
 * The client's own decoder. The test changes its answers as another version of the client might.
 */
const decodingAs =
  (change: (message: Record<string, unknown>) => void): Seed =>
  ({ fetch }) => {
    const real = fetch as {
      versions: string[];
      protocol: (options: object) => (options: object) => {
        response: { decode: (bytes: Buffer) => Promise<Answer> };
      };
    };
    const protocol = (options: object) => (request: object) => ({
      response: {
        decode: async (bytes: Buffer) => {
          const answer = await real.protocol(options)(request).response.decode(bytes);
          for (const { partitions } of answer.responses)
            for (const { messages } of partitions) for (const each of messages) change(each);
          return answer;
        },
      },
    });
    return { fetch: { versions: real.versions, protocol } };
  };

interface Answer {
  responses: { partitions: { messages: Record<string, unknown>[] }[] }[];
}

const SEEDS: readonly (readonly [string, string, Seed])[] = [
  [
    'no class where the broker was',
    'its Broker has no fetch()',
    () => ({ broker: { default: 1 } }),
  ],
  [
    'a broker that fetches by another name',
    'its Broker has no fetch()',
    () => ({
      broker: class {
        readonly fetchRecords = 1;
      },
    }),
  ],
  [
    'a newer fetch request',
    'the newest fetch request it knows is 12, not 11',
    ({ fetch }) => ({ fetch: { ...(fetch as object), versions: ['11', '12'] } }),
  ],
  ['no list of fetch requests', 'not 11', () => ({ fetch: {} })],
  [
    'another name for the transaction of a message',
    'it shows the records [0,1,3], not [3]',
    decodingAs((message) => {
      message['context'] = message['batchContext'];
      delete message['batchContext'];
    }),
  ],
  [
    'another name for the offset of a message',
    'takes a fetched answer apart in another way',
    decodingAs((message) => delete message['offset']),
  ],
  [
    'a consumer that does not look at what was hidden',
    'it shows the records [0,1,2,3,4,5], not [3]',
    ({ batch }) => ({
      batch: class extends (batch as AnyClass) {
        constructor(topic: string, offset: string, partition: { messages: unknown }) {
          super(topic, offset, partition);
          this.messages = partition.messages;
        }
      },
    }),
  ],
];

describe('the internals of the Kafka client', () => {
  it('are those that exactly-once relies on, in the installed version', async () => {
    await expect(checkedBroker(await installedInternals())).resolves.toHaveProperty(
      'prototype.fetch',
    );
  });

  it.each(SEEDS)('are refused with their version: %s', async (_, reason, seed) => {
    const internals = await installedInternals();
    const changed = { ...internals, version: '9.9.9', ...seed(internals) };
    const refusal = checkedBroker(changed);
    await expect(refusal).rejects.toThrow('kafkajs 9.9.9 cannot be used');
    await expect(refusal).rejects.toThrow(reason);
  });
});
