import fc from 'fast-check';
import { ulid } from 'ulid';
import type { ROLES } from '../../libs/identity/aggregates/roles.js';
import { streamAggregate } from '../../libs/streams/aggregates/stream.aggregate.js';
import { account, by, callerOf, organizationOf, type Node } from './node.js';

type Role = (typeof ROLES)[number];

/** `late`: an invitation that had expired before it began. */
type Asking = 'invite' | 'late' | 'accept' | 'decline' | 'withdraw';

/** One action of a person. Its numbers choose among the people and things that exist by then. */
type Deed =
  | { readonly do: 'register' | 'rename' | 'erase' | 'password'; readonly who: number }
  | { readonly do: 'sign-up' | 'prove'; readonly who: number }
  | {
      readonly do: 'organize' | 'passcode' | 'token' | 'short-token' | 'revoke';
      readonly where: number;
    }
  | { readonly do: 'show-as' | 'dissolve'; readonly where: number }
  | { readonly do: 'join'; readonly who: number; readonly where: number; readonly role: Role }
  | { readonly do: 'leave'; readonly who: number; readonly where: number }
  | { readonly do: Asking; readonly who: number; readonly where: number }
  | { readonly do: 'stream' | 'evolve' | 'settings' | 'delete'; readonly what: number };

const few = fc.nat({ max: 3 });
const role = fc.constantFrom<Role>('admin', 'editor', 'member', 'viewer');
export const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ do: fc.constantFrom('register', 'rename', 'erase', 'password'), who: few }),
  fc.record({ do: fc.constantFrom('sign-up', 'prove'), who: few }),
  fc.record({
    do: fc.constantFrom('organize', 'passcode', 'token', 'short-token', 'revoke'),
    where: few,
  }),
  fc.record({ do: fc.constantFrom('show-as', 'dissolve'), where: few }),
  fc.record({ do: fc.constant('join'), who: few, where: few, role }),
  fc.record({ do: fc.constant('leave'), who: few, where: few }),
  fc.record({
    do: fc.constantFrom<Asking>('invite', 'late', 'accept', 'decline', 'withdraw'),
    who: few,
    where: few,
  }),
  fc.record({ do: fc.constantFrom('stream', 'evolve', 'settings', 'delete'), what: few }),
);

/** A history in which every event occurs. */
export const FULL: Deed[] = [
  { do: 'organize', where: 0 },
  { do: 'passcode', where: 0 },
  { do: 'short-token', where: 0 },
  { do: 'token', where: 0 },
  { do: 'revoke', where: 0 },
  { do: 'token', where: 0 },
  { do: 'register', who: 0 },
  { do: 'register', who: 1 },
  { do: 'rename', who: 0 },
  { do: 'password', who: 0 },
  { do: 'join', who: 0, where: 0, role: 'admin' },
  { do: 'join', who: 1, where: 0, role: 'admin' },
  { do: 'join', who: 1, where: 0, role: 'viewer' },
  { do: 'leave', who: 1, where: 0 },
  { do: 'invite', who: 1, where: 0 },
  { do: 'decline', who: 1, where: 0 },
  { do: 'erase', who: 1 },
  { do: 'invite', who: 3, where: 0 },
  { do: 'withdraw', who: 3, where: 0 },
  { do: 'late', who: 3, where: 0 },
  { do: 'invite', who: 2, where: 0 },
  { do: 'register', who: 2 },
  { do: 'accept', who: 2, where: 0 },
  { do: 'stream', what: 0 },
  { do: 'evolve', what: 0 },
  { do: 'stream', what: 1 },
  { do: 'settings', what: 1 },
  { do: 'delete', what: 0 },
  { do: 'organize', where: 1 },
  { do: 'show-as', where: 1 },
  { do: 'join', who: 0, where: 1, role: 'admin' },
  { do: 'token', where: 1 },
  { do: 'invite', who: 3, where: 1 },
  { do: 'dissolve', where: 1 },
  { do: 'organize', where: 1 },
  { do: 'sign-up', who: 3 },
  { do: 'prove', who: 3 },
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
    case 'sign-up':
      return void (await accounts.register({ ...account(`p${what.who}`), unproven: true }, by()));
    case 'prove': {
      const user = person(what.who);
      return user && accounts.proveEmail(user.id, by());
    }
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
    case 'show-as':
    case 'dissolve': {
      const found = place(what.where);
      if (!found) return;
      if (what.do === 'dissolve') return memberships.delete(found, undefined, by());
      return memberships.rename(found.id, `Shown as ${what.where}`, by());
    }
    case 'passcode': {
      const found = place(what.where);
      return found && memberships.rotatePasscode(found.id, by());
    }
    case 'token':
    case 'short-token':
    case 'revoke': {
      const found = place(what.where);
      if (!found) return;
      const [id, tokenName] = [found.id, `t${what.where}`];
      if (what.do === 'revoke') return memberships.revokeToken(id, tokenName, by());
      const madeAt = new Date().toISOString();
      const token = {
        tokenId: ulid(),
        name: tokenName,
        fingerprint: ulid(),
        role: 'viewer' as const,
        madeBy: 'A',
        madeAt,
        // It is over when it is made.
        ...(what.do === 'short-token' ? { expiresAt: madeAt, streams: ['s0'] } : {}),
      };
      return void (await memberships.makeToken(id, token, by()));
    }
    case 'join':
    case 'leave': {
      const [user, found] = [person(what.who), place(what.where)];
      if (!user || !found) return;
      if (what.do === 'leave') return memberships.remove(found.id, user.id, by());
      return memberships.put(found.id, user.id, what.role, by());
    }
    case 'invite':
    case 'late':
    case 'accept':
    case 'decline':
    case 'withdraw':
      return answer(node, what);
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
        [`nothing${what.what}`, new Map([['None', 1]])],
        [`several${what.what}`, new Map([['Int64', 1], ['Bool', 1]])], // prettier-ignore
        [`nothing${(what.what + 1) % 3}`, new Map([['Bool', 1]])],
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

/** Person 0 invites, and the invited person answers. */
async function answer(node: Node, what: Extract<Deed, { do: Asking }>): Promise<void> {
  const { users, organizations, asking } = node;
  const place = organizations.find(`o${what.where}`);
  const email = `p${what.who}@example.com`;
  const [inviter, person] = [users.byEmail('p0@example.com'), users.byEmail(email)];
  if (!place || !inviter) return;
  if (what.do === 'invite' || what.do === 'late') {
    const occurredAt = (what.do === 'late' ? new Date(0) : new Date()).toISOString();
    const invitation = { caller: callerOf(node, inviter.id), email, role: 'viewer' } as const;
    return asking.invite(place.id, invitation, by(inviter.id, { occurredAt }));
  }
  if (what.do === 'withdraw')
    return asking.withdraw(organizationOf(node, place.name), email, by(inviter.id));
  if (person) return asking[what.do](callerOf(node, person.id), place.name, by(person.id));
}

/** An action may be refused, as a person's would be; it must not fail otherwise. */
function refused(error: unknown): void {
  const { kind } = error as { kind?: string };
  if (kind === undefined || kind === 'INTERNAL' || kind === 'NOT_READY') throw error;
}

/** Performs the actions one after the other, as people would. A refused action changes nothing. */
export async function performAll(node: Node, deeds: readonly Deed[]): Promise<void> {
  for (const each of deeds) await perform(node, each).catch(refused);
}
