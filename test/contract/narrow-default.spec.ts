import { stepOf } from '@app/event-store';
import { NarrowDefaultHandler } from '../../libs/identity/commands/installation/narrow-default.command.js';
import { account, by, eventsOf, openSite, startNode, type Node, type Site } from './node.js';
import { openSiteOnEventStoreDb } from './site-on-eventstoredb.js';

describe.each([
  ['the embedded store', () => Promise.resolve(openSite())],
  ['EventStoreDB', openSiteOnEventStoreDb],
])('the upgrade of `default` on %s', (_, open) => {
  let site: Site;
  let nodes: [Node, Node];
  let home: string;
  const settle = async (): Promise<void> => {
    const last = (await site.store.lastPosition()) ?? 0n;
    await Promise.all(nodes.map(({ projector }) => projector.awaitPosition(last)));
  };
  const narrow = ({ pipeline, users, organizations }: Node): Promise<void> =>
    new NarrowDefaultHandler(pipeline, site.store, users, organizations).execute();
  /** Registers people as the version before did: the same command made everybody a member of `default`. */
  const registerAsBefore = async (name: string, organizationId: string): Promise<string> => {
    const { accounts, memberships } = nodes[0];
    const context = by('ADMIN', { organizationId });
    const id = await accounts.register(account(name), context);
    if (organizationId !== home) await memberships.put(home, id, 'member', context);
    return id;
  };
  const roleIn = (userId: string): string | undefined =>
    nodes[1].organizations.get(home)?.members.get(userId);

  beforeEach(async () => {
    site = await open();
    nodes = [await startNode(site), await startNode(site)];
    home = (await nodes[0].memberships.create('default', undefined, by())).id;
    await settle();
  });
  afterEach(async () => {
    for (const each of nodes) await each.stop();
    await site.dispose();
  });

  it('makes viewers of those whom nobody made a member on purpose, once, by whichever node', async () => {
    const { memberships } = nodes[0];
    const acme = (await memberships.create('acme', undefined, by())).id;
    const automatic = [await registerAsBefore('a1', acme), await registerAsBefore('a2', acme)];
    const kept = await registerAsBefore('kept', acme);
    await memberships.put(home, kept, 'editor', by());
    const regiven = await registerAsBefore('regiven', acme);
    await memberships.put(home, regiven, 'viewer', by());
    await memberships.put(home, regiven, 'member', by());
    const back = await registerAsBefore('back', acme);
    await memberships.remove(home, back, by());
    await memberships.put(home, back, 'member', by());
    const here = await registerAsBefore('here', home);
    const context = by('ADMIN', { organizationId: home });
    await memberships.put(home, here, 'member', stepOf(context, 'member'));
    const gone = await registerAsBefore('gone', acme);
    await memberships.remove(home, gone, by());
    await settle();

    await Promise.all([...nodes, ...nodes].map(narrow));
    await settle();
    expect(automatic.map(roleIn)).toEqual(['viewer', 'viewer']);
    expect([kept, regiven, back, here, gone].map(roleIn)).toEqual([
      'editor',
      'member',
      'member',
      'member',
      undefined,
    ]);
    const written = await eventsOf(site.store);
    const changed = written.filter(
      ({ type, metadata }) => type === 'UserRoleChanged' && metadata.actor === 'system',
    );
    const narrowed = changed.filter(({ data }) =>
      automatic.includes((data as { userId: string }).userId),
    );
    expect(narrowed).toHaveLength(2);

    await Promise.all(nodes.map(narrow));
    await settle();
    expect(await eventsOf(site.store)).toHaveLength(written.length);
    // who is given the role after it keeps it
    await memberships.put(home, automatic[0] ?? '', 'member', by());
    await settle();
    await Promise.all(nodes.map(narrow));
    expect(roleIn(automatic[0] ?? '')).toBe('member');
  }, 120_000);
});
