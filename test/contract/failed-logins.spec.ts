import { setImmediate as nextTurn } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { FailedLogins, type FailedLogin } from '../../libs/identity/auth/throttle/failed-logins.js';
import { addressPrefix } from '../../libs/platform/context/address-prefix.js';
import { eventsOf, openSite, startNode, type Node } from './node.js';

describe('failed logins', () => {
  const site = openSite();
  let node: Node;
  let failures: FailedLogins;

  beforeAll(async () => {
    node = await startNode(site);
  });
  beforeEach(() => {
    failures = new FailedLogins(node.pipeline);
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  afterAll(async () => {
    await node.stop();
    await site.dispose();
  });

  let login = 0;
  const failed = (
    account: string,
    address: string,
    more: Partial<FailedLogin> = {},
  ): FailedLogin => ({
    account,
    userId: undefined,
    organizationId: undefined,
    address,
    prefix: addressPrefix(address).prefix,
    userAgent: 'guess/1.0',
    requestId: `request-${(login += 1)}`,
    ...more,
  });
  /** Lists the events of failed logins that are stored by the time the program has ended. */
  async function keptOf(
    count: () => void,
  ): Promise<{ type: string; data: Record<string, number>; address: string; length: number }[]> {
    const before = (await eventsOf(site.store)).length;
    count();
    await failures.onApplicationShutdown();
    return (await eventsOf(site.store)).slice(before).map((event) => ({
      type: event.type,
      data: event.data as Record<string, number>,
      address: node.people.client('anonymous', event.metadata.client ?? '')?.address ?? '',
      length: JSON.stringify([event.data, event.metadata]).length,
    }));
  }
  const sum = (kept: readonly { data: Record<string, number> }[], name: string): number =>
    kept.reduce((all, { data }) => all + (data[name] ?? 0), 0);

  it('are counted by account and address, and not an event each', async () => {
    const kept = await keptOf(() => {
      for (let n = 0; n < 500; n += 1) failures.count(failed('ann', '192.0.2.1'), 'failed');
      for (let n = 0; n < 70; n += 1) failures.count(failed('ann', '192.0.2.1'), 'refused');
      failures.count(failed('ann', '198.51.100.1'), 'failed');
    });
    expect(kept.map(({ type, address }) => [type, address])).toEqual([
      ['LoginFailed', '192.0.2.1'],
      ['LoginFailed', '198.51.100.1'],
    ]);
    expect([sum(kept, 'failed'), sum(kept, 'refused')]).toEqual([501, 70]);
  });

  it('are counted by the prefix of an address that one customer has many of', async () => {
    const kept = await keptOf(() => {
      for (let n = 0; n < 300; n += 1) failures.count(failed('ann', `2001:db8::${n}`), 'failed');
    });
    expect([kept.length, sum(kept, 'failed')]).toEqual([1, 300]);
  });

  it('are few events whatever strangers try, and all of them are counted', async () => {
    const kept = await keptOf(() => {
      for (let n = 0; n < 20_000; n += 1)
        failures.count(failed(`account ${n}`, `10.0.${n >> 8}.${n & 255}`), 'failed');
    });
    expect(kept.length).toBeLessThanOrEqual(51);
    expect(sum(kept, 'failed')).toBe(20_000);
    const rest = kept.at(-1);
    expect(rest).toMatchObject({ type: 'LoginsFailed', data: { morePrefixes: true } });
  });

  it('of made-up e-mails leave room for those of accounts', async () => {
    const kept = await keptOf(() => {
      for (let n = 0; n < 1000; n += 1)
        failures.count(failed(`made up ${n}`, '10.0.0.1'), 'failed');
      for (let n = 0; n < 12; n += 1)
        failures.count(failed('ann', '192.0.2.1', { userId: 'ann' }), 'failed');
    });
    const ofAnn = kept.filter(({ data }) => (data as { userId?: unknown }).userId === 'ann');
    expect(sum(ofAnn, 'failed')).toBe(12);
    const [first] = kept.filter(({ type }) => type === 'LoginsFailed');
    expect(first?.address).toBe('10.0.0.1 (950)');
  });

  it('are kept at once when they are the first, and the others when a minute is over', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'performance'] });
    const before = (await eventsOf(site.store)).length;
    failures.count(failed('ann', '192.0.2.1'), 'failed');
    while ((await eventsOf(site.store)).length === before) await nextTurn();
    for (let n = 0; n < 8; n += 1) failures.count(failed('ann', '192.0.2.1'), 'failed');
    await jest.advanceTimersByTimeAsync(60_000);
    await failures.onApplicationShutdown();
    const kept = (await eventsOf(site.store)).slice(before);
    expect(kept.map(({ data }) => (data as { failed: number }).failed)).toEqual([1, 8]);
  });

  it('are not long, whatever a header is', async () => {
    const kept = await keptOf(() =>
      failures.count(
        failed('ann', 'x'.repeat(15_000), {
          userAgent: 'x'.repeat(15_000),
          requestId: 'x'.repeat(15_000),
        }),
        'failed',
      ),
    );
    expect(kept[0]?.length).toBeLessThan(2500);
  });
});
