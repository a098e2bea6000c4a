import { account, by, eventsOf, openSite, startNode, tally, type Node, type Site } from './node.js';
import { openSiteOnEventStoreDb } from './site-on-eventstoredb.js';

const MANY = 50;

describe.each([
  ['the embedded store', () => Promise.resolve(openSite())],
  ['EventStoreDB', openSiteOnEventStoreDb],
])('commands of two nodes on %s', (_, open) => {
  let site: Site;
  let nodes: [Node, Node];
  const node = (n: number): Node => nodes[n % 2 === 0 ? 0 : 1];
  const atOnce = (work: (n: number, node: Node) => Promise<unknown>) =>
    Promise.allSettled(Array.from({ length: MANY }, (__, n) => work(n, node(n))));
  /** Both nodes have applied all that is stored. */
  const settle = async (): Promise<void> => {
    const last = (await site.store.lastPosition()) ?? 0n;
    await Promise.all(nodes.map(({ projector }) => projector.awaitPosition(last)));
  };
  const countOf = async (type: string): Promise<number> =>
    (await eventsOf(site.store)).filter((event) => event.type === type).length;

  beforeEach(async () => {
    site = await open();
    nodes = [await startNode(site), await startNode(site)];
  });
  afterEach(async () => {
    for (const each of nodes) await each.stop();
    await site.dispose();
  });

  it('give an e-mail to one of many, in any case of letters', async () => {
    const outcomes = await atOnce((n, { accounts }) =>
      accounts.register(
        { ...account('ann'), email: n % 3 === 0 ? 'ANN@example.com' : 'ann@example.com' },
        by(),
      ),
    );
    const { ok, ALREADY_EXISTS: taken } = tally(outcomes);
    expect([ok, taken]).toEqual([1, MANY - 1]);
    await settle();
    expect(await countOf('UserRegistered')).toBe(1);
    expect(nodes[0].users.byEmail('ann@example.com')).toEqual(
      nodes[1].users.byEmail('ann@example.com'),
    );
  });

  it('make one organization of a name', async () => {
    await atOnce((___, { memberships }) => memberships.create('acme', undefined, by()));
    await settle();
    expect(await countOf('OrganizationCreated')).toBe(1);
    expect(nodes.map(({ organizations }) => organizations.find('acme')?.id)).toEqual([
      nodes[0].organizations.find('acme')?.id,
      nodes[0].organizations.find('acme')?.id,
    ]);
  });

  it('lose no change: many members come to one organization from both nodes', async () => {
    const { id } = await nodes[0].memberships.create('acme', undefined, by());
    await settle();
    const outcomes = await atOnce((n, { memberships }) =>
      memberships.put(id, `USER${n}`, 'editor', by()),
    );
    const { ok = 0, CONFLICT: conflicts = 0 } = tally(outcomes);
    expect(ok + conflicts).toBe(MANY);
    await settle();
    const won = outcomes.flatMap(({ status }, n) => (status === 'fulfilled' ? [`USER${n}`] : []));
    for (const { organizations } of nodes)
      expect([...(organizations.get(id)?.members.keys() ?? [])].sort()).toEqual(won.sort());
  });

  it('keep one admin, when each node removes the other one', async () => {
    const { id } = await nodes[0].memberships.create('acme', 'ANN', by());
    await nodes[0].memberships.put(id, 'BEN', 'admin', by());
    await settle();
    const outcomes = await Promise.allSettled([
      nodes[0].memberships.remove(id, 'ANN', by()),
      nodes[1].memberships.remove(id, 'BEN', by()),
    ]);
    expect(tally(outcomes)).toEqual({ ok: 1, FORBIDDEN: 1 });
    await settle();
    for (const { organizations } of nodes) expect(organizations.get(id)?.members.size).toBe(1);
  });

  it('answer when the own node has it', async () => {
    for (let n = 0; n < 10; n += 1) {
      const { accounts, users } = node(n);
      await accounts.register(account(`own${n}`), by());
      expect(users.byEmail(`own${n}@example.com`)).toMatchObject({ firstName: `own${n}` });
    }
  });

  it('are done once however often they come, on whichever node', async () => {
    const context = by('system', { commandId: 'the-same' });
    for (let n = 0; n < 4; n += 1) {
      await node(n).accounts.register(account('ann'), context);
      await settle();
    }
    const after = await eventsOf(site.store);
    expect(after.filter(({ type }) => type === 'UserRegistered')).toHaveLength(1);
    const outcomes = await Promise.allSettled(
      nodes.map(({ accounts }) =>
        accounts.register(account('ben'), by('system', { commandId: 'b' })),
      ),
    );
    expect(tally(outcomes).ok).toBe(2);
    expect(await countOf('UserRegistered')).toBe(2);
  });
});
