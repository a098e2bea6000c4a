import fc from 'fast-check';
import { rebuild, type SnapshottedProjection } from '@app/event-store';
import { deed, FULL, performAll } from './deeds.js';
import { eventsOf, openSite, readModels, startNode, type ReadModels, type Site } from './node.js';
import { rounds } from '../rounds.js';

const TYPES = [
  'EmailProven',
  'EmailReleased',
  'EmailReserved',
  'EmailUnproven',
  'InvitationAccepted',
  'InvitationDeclined',
  'InvitationExpired',
  'InvitationWithdrawn',
  'OrganizationCreated',
  'OrganizationDeleted',
  'OrganizationNameReleased',
  'OrganizationNameReserved',
  'OrganizationRenamed',
  'PasscodeRotated',
  'PasswordChanged',
  'StreamCreated',
  'StreamDeleted',
  'StreamSchemaEvolved',
  'StreamSettingsChanged',
  'TokenExpired',
  'TokenMade',
  'TokenRevoked',
  'UserAddedToOrganization',
  'UserErased',
  'UserInvited',
  'UserProfileChanged',
  'UserRegistered',
  'UserRemovedFromOrganization',
  'UserRoleChanged',
];

type ReadModel = 'users' | 'organizations' | 'invitations' | 'streams';
const all = (models: Record<ReadModel, SnapshottedProjection>): SnapshottedProjection[] => [
  models.users,
  models.organizations,
  models.invitations,
  models.streams,
];
const states = (models: Record<ReadModel, SnapshottedProjection>): unknown =>
  structuredClone(all(models).map((each) => each.snapshot()));

/** Collects the answers that people get from the read models. */
const told = ({ people, users, organizations, invitations, streams }: ReadModels): unknown =>
  structuredClone({
    users: [0, 1, 2, 3].map((n) => users.byEmail(`p${n}@example.com`)),
    organizations: organizations.list(),
    sent: organizations.list().map(({ id }) => invitations.of(id)),
    received: [0, 1, 2, 3].map((n) => invitations.forPerson(people.emailHash(`p${n}@example.com`))),
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
            // The process runs, stops (which stores a snapshot), and goes on from the snapshot.
            const first = await startNode(each, { snapshots: each.snapshots });
            await performAll(first, before);
            await first.stop();
            const live = await startNode(each, { snapshots: each.snapshots });
            await performAll(live, after);

            const fresh = await startNode(each);
            expect(states(fresh)).toEqual(states(live));
            expect(told(fresh)).toEqual(told(live));
            await fresh.stop();

            for (const { type } of await eventsOf(each.store)) types.add(type);
            const last = (await each.store.lastPosition()) ?? 0n;
            const replayed = readModels(each);
            const options = { from: () => 0n, onProgress: () => undefined };
            await rebuild(each.store, all(replayed), each.snapshots, options);
            expect(states(replayed)).toEqual(states(live));
            // and what the rebuild has kept serves the next start
            await live.stop();
            const next = readModels(each);
            const tail = { from: () => last, onProgress: () => undefined };
            const counts = await rebuild(each.store, all(next), each.snapshots, tail);
            expect(counts).toEqual(all(next).map(() => 0));
            expect(states(next)).toEqual(states(replayed));
          } finally {
            if (each !== site) await each.dispose();
          }
        },
      ),
      { numRuns: rounds(8, 200), examples: [[FULL, FULL]] },
    );
    // every kind of event has been in one of them
    expect([...types].sort()).toEqual(TYPES);
  }, 120_000);
});
