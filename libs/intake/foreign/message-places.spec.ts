import { StorageBounds } from '../store/storage-bounds.js';
import { MessagePlaces } from './message-places.js';
import { FedOrganizations } from './place-message.js';

const ORGANIZATION = { id: '01A', name: 'acme', database: 'o_a', share: '01A' };
const MOST_BYTES = 100;

class OneFed extends FedOrganizations {
  find(name: string): typeof ORGANIZATION | undefined {
    return name === ORGANIZATION.name ? ORGANIZATION : undefined;
  }
}

/** An organization that has reached its limit of stored bytes. */
const places = (kept: number): MessagePlaces =>
  new MessagePlaces(
    new OneFed(),
    new StorageBounds({
      warehouse: {
        keptBytes: () => Promise.resolve(new Map([[ORGANIZATION.database, kept]])),
        disk: () => Promise.resolve({ free: 1e9, size: 1e9 }),
      },
      queue: { awaitAllCommitted: () => Promise.resolve() },
      deadLetter: { bytesByDatabase: () => Promise.resolve(new Map()) },
      organizations: { list: () => [ORGANIZATION] },
      mostBytes: MOST_BYTES,
    }),
  );

const message = (name: string, bytes: number, organization = ORGANIZATION.name) => ({
  name,
  headers: { organization, stream: 'logs' },
  value: new Uint8Array(bytes),
});

describe('the places of messages', () => {
  const outcome = async (kept: number, messages: readonly ReturnType<typeof message>[]) => {
    const dead: string[] = [];
    const found = await places(kept).find(messages, ({ message: { name }, reason }) => {
      dead.push(`${name}: ${reason}`);
    });
    return { found: found.map((each) => each.message.name), dead };
  };

  it('are those that their headers say', async () => {
    const { found, dead } = await outcome(0, [
      message('1', 10),
      message('2', 10, 'other'),
      message('3', 0),
      message('4', 10),
    ]);
    expect(found).toEqual(['1', '4']);
    expect(dead).toEqual([
      expect.stringMatching(/^2: organization other may not be fed/),
      '3: the message has no value',
    ]);
  });

  it('are none for an empty idempotency-key, which many messages would share', async () => {
    const sent = message('1', 10);
    const headers = { ...sent.headers, 'idempotency-key': '' };
    const { dead } = await outcome(0, [{ ...sent, headers }]);
    expect(dead).toEqual(['1: idempotency-key: want a text, or no such header']);
  });

  it('are there again for messages that come again', async () => {
    const found = places(70);
    const bury = ({ reason }: { reason: string }): void => {
      throw new Error(reason);
    };
    for (let time = 0; time < 5; time += 1)
      found.giveBack(await found.find([message('1', 20)], bury));
    expect(await found.find([message('1', 20)], bury)).toHaveLength(1);
  });

  it('are there for the first of many that have no room together', async () => {
    const { found, dead } = await outcome(70, [
      message('1', 20),
      message('2', 20),
      message('3', 5),
    ]);
    expect(found).toEqual(['1', '3']);
    expect(dead).toEqual([expect.stringMatching(/^2: /)]);
  });
});
