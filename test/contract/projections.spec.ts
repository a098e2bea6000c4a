import fc from 'fast-check';
import { rebuild, type SnapshottedProjection } from '@app/event-store';
import type { ROLES } from '../../libs/identity/aggregates/roles.js';
import { streamAggregate } from '../../libs/streams/aggregates/stream.aggregate.js';
import {
  account,
  by,
  eventsOf,
  openSite,
  readModels,
  startNode,
  type Node,
  type Site,
} from './node.js';

type Role = (typeof ROLES)[number];

/** One thing that somebody does; numbers choose among who and what is there by then. */
type Deed =
  | { readonly do: 'register' | 'rename' | 'erase' | 'password'; readonly who: number }
  | { readonly do: 'organize' | 'passcode'; readonly where: number }
  | { readonly do: 'join'; readonly who: number; readonly where: number; readonly role: Role }
  | { readonly do: 'leave'; readonly who: number; readonly where: number }
  | { readonly do: 'stream' | 'evolve' | 'settings' | 'delete'; readonly what: number };

const few = fc.nat({ max: 3 });
const role = fc.constantFrom<Role>('admin', 'editor', 'member', 'viewer');
const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ do: fc.constantFrom('register', 'rename', 'erase', 'password'), who: few }),
  fc.record({ do: fc.constantFrom('organize', 'passcode'), where: few }),
  fc.record({ do: fc.constant('join'), who: few, where: few, role }),
  fc.record({ do: fc.constant('leave'), who: few, where: few }),
  fc.record({ do: fc.constantFrom('stream', 'evolve', 'settings', 'delete'), what: few }),
);

/** A history in which every event occurs. */
const FULL: Deed[] = [
  { do: 'organize', where: 0 },
  { do: 'passcode', where: 0 },
  { do: 'register', who: 0 },
  { do: 'register', who: 1 },
  { do: 'rename', who: 0 },
  { do: 'password', who: 0 },
  { do: 'join', who: 0, where: 0, role: 'admin' },
  { do: 'join', who: 1, where: 0, role: 'admin' },
  { do: 'join', who: 1, where: 0, role: 'viewer' },
  { do: 'leave', who: 1, where: 0 },
  { do: 'erase', who: 1 },
  { do: 'stream', what: 0 },
  { do: 'evolve', what: 0 },
  { do: 'stream', what: 1 },
  { do: 'settings', what: 1 },
  { do: 'delete', what: 0 },
];
const TYPES = [
  'EmailReleased',
  'EmailReserved',
  'OrganizationCreated',
  'OrganizationNameReserved',
  'PasscodeRotated',
  'PasswordChanged',
  'StreamCreated',
  'StreamDeleted',
  'StreamSchemaEvolved',
  'StreamSettingsChanged',
  'UserAddedToOrganization',
  'UserErased',
  'UserProfileChanged',
  'UserRegistered',
  'UserRemovedFromOrganization',
  'UserRoleChanged',
];

async function perform(node: Node, what: Deed): Promise<void> {
  const { accounts, memberships, users, organizations, streams, pipeline } = node;
  const person = (n: number) => users.byEmail(`p${n}@example.com`);
  const place = (n: number) => organizations.find(`o${n}`);
  const change = (id: string, command: Parameters<typeof streamAggregate.decide>[1]) =>
    pipeline.handle({ decider: streamAggregate, stream: `stream-${id}`, command, context: by() });
  const stream = 'what' in what ? streams.all()[what.what] : undefined;
  switch (what.do) {
    case 'register':
      return void (await accounts.register(account(`p${what.who}`), by()));
    case 'rename':
    case 'password':
    case 'erase': {
      const user = person(what.who);
      if (!user) return;
      const { id, email } = user;
      if (what.do === 'erase') return accounts.erase(id, email, by());
      if (what.do === 'password') return accounts.change(id, { password: 'Other-88' }, by());
      const profile = { email, firstName: 'New', lastName: 'Name' };
      return accounts.change(id, { profile }, by());
    }
    case 'organize':
      return void (await memberships.create(`o${what.where}`, undefined, by()));
    case 'passcode': {
      const found = place(what.where);
      return found && memberships.rotatePasscode(found.id, by());
    }
    case 'join':
    case 'leave': {
      const [user, found] = [person(what.who), place(what.where)];
      if (!user || !found) return;
      if (what.do === 'leave') return memberships.remove(found.id, user.id, by());
      return memberships.put(found.id, user.id, what.role, by());
    }
    case 'stream': {
      const id = `S${what.what}X${streams.all().length}`;
      const data = { id, organizationId: 'O', database: 'd', name: `s${what.what}` };
      if (streams.find('O', data.name) || streams.isDeleted(id)) return;
      return void (await change(id, { type: 'create', stream: data }));
    }
    case 'evolve': {
      const survey = new Map([
        [
          `c${what.what}`,
          new Map([
            ['Float64', 2],
            ['Int64', 1],
          ]),
        ],
      ]);
      return stream && void (await change(stream.id, { type: 'evolve', survey }));
    }
    case 'settings': {
      const settings = {
        type: 'change-settings',
        change: { dataRetention: what.what },
        declared: [],
      } as const;
      return stream && void (await change(stream.id, settings));
    }
    case 'delete':
      return stream && void (await change(stream.id, { type: 'delete' }));
  }
}

const states = ({
  users,
  organizations,
  streams,
}: Record<'users' | 'organizations' | 'streams', SnapshottedProjection>): unknown =>
  structuredClone([users, organizations, streams].map((each) => each.snapshot()));

/** What people are told out of the read models. */
const told = ({ users, organizations, streams }: ReturnType<typeof readModels>): unknown =>
  structuredClone({
    users: [0, 1, 2, 3].map((n) => users.byEmail(`p${n}@example.com`)),
    organizations: organizations.list(),
    streams: streams.all(),
  });

describe('a read model made again', () => {
  let site: Site;
  beforeEach(() => {
    site = openSite();
  });
  afterEach(() => site.dispose());

  it('is the one that lived, from the first event and from any snapshot, after any history', async () => {
    let run = 0;
    const types = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(deed, { minLength: 5, maxLength: 40 }),
        fc.array(deed, { maxLength: 20 }),
        async (before, after) => {
          run += 1;
          const each = run === 1 ? site : openSite();
          try {
            // It lives, stops (which keeps a snapshot), lives on from the snapshot.
            const first = await startNode(each, { snapshots: each.snapshots });
            for (const one of before) await perform(first, one).catch(refused);
            await first.stop();
            const live = await startNode(each, { snapshots: each.snapshots });
            for (const one of after) await perform(live, one).catch(refused);

            const fresh = await startNode(each);
            expect(states(fresh)).toEqual(states(live));
            expect(told(fresh)).toEqual(told(live));
            await fresh.stop();

            for (const { type } of await eventsOf(each.store)) types.add(type);
            const last = (await each.store.lastPosition()) ?? 0n;
            const replayed = readModels(each);
            const options = { from: 0n, onProgress: () => undefined };
            for (const projection of [replayed.users, replayed.organizations, replayed.streams])
              await rebuild(each.store, projection, each.snapshots, options);
            expect(states(replayed)).toEqual(states(live));
            // and what the rebuild has kept serves the next start
            await live.stop();
            const next = readModels(each);
            const tail = { from: last, onProgress: () => undefined };
            for (const projection of [next.users, next.organizations, next.streams])
              expect(await rebuild(each.store, projection, each.snapshots, tail)).toBe(0);
            expect(states(next)).toEqual(states(replayed));
          } finally {
            if (each !== site) await each.dispose();
          }
        },
      ),
      { numRuns: 60, examples: [[FULL, FULL]] },
    );
    // every kind of event has been in one of them
    expect([...types].sort()).toEqual(TYPES);
  }, 120_000);
});

/** A deed may be refused, as a person's would be; it must not fail otherwise. */
function refused(error: unknown): void {
  const { kind } = error as { kind?: string };
  if (kind === undefined || kind === 'INTERNAL' || kind === 'NOT_READY') throw error;
}
