import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CommandPipeline,
  NotUnderstood,
  Projector,
  SnapshotFiles,
  systemContext,
  type CommandContext,
  type EventStore,
  type Projection,
  type RecordedEvent,
} from '@app/event-store';
import { openEmbeddedEventStore } from '@app/event-store/embedded';
import {
  InvitationsProjection,
  OrganizationsProjection,
  PersonalData,
  UsersProjection,
} from '@app/identity';
import { ServerKey } from '@app/key-store';
import { EmbeddedPersonKeys } from '@app/key-store/embedded';
import { type Caller, type RequestOrganization } from '@app/platform';
import { readConfig } from '@app/config';
import { understoodEvents } from '@app/stored-events';
import { StreamsProjection } from '@app/streams';
import { newDatabaseName } from '@app/warehouse';
import { Accounts } from '../../libs/identity/people/accounts.js';
import { InvitationService } from '../../libs/identity/people/invitation-service.js';
import { Memberships } from '../../libs/identity/people/memberships.js';
import { Passcodes } from '../../libs/identity/people/passcode.js';

/** The nodes of a test have these things in common, in a folder of its own. */
export interface Site {
  readonly directory: string;
  /** A node reads what is stored through this. */
  readonly store: EventStore;
  readonly stored: EventStore;
  readonly serverKey: ServerKey;
  readonly snapshots: SnapshotFiles;
  dispose(): Promise<void>;
}

export function openSite(): Site {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-site-'));
  const stored = openEmbeddedEventStore({ directory: join(directory, 'events') });
  return {
    directory,
    ...understood(stored),
    serverKey: new ServerKey(randomBytes(32)),
    snapshots: new SnapshotFiles(join(directory, 'snapshots')),
    dispose: async () => {
      await stored.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A store beside the same store as it is understood. */
export function understood(stored: EventStore): Pick<Site, 'stored' | 'store'> {
  return { stored, store: understoodEvents(stored, new NotUnderstood({ error: () => undefined })) };
}

/** Read models that have applied no event. */
export interface ReadModels {
  readonly people: PersonalData;
  readonly users: UsersProjection;
  readonly organizations: OrganizationsProjection;
  readonly invitations: InvitationsProjection;
  readonly streams: StreamsProjection;
}

export function readModels(
  { directory, serverKey }: Site,
  now: () => number = Date.now,
): ReadModels {
  const keys = new EmbeddedPersonKeys(join(directory, 'person-keys'), serverKey);
  const people = new PersonalData(serverKey, keys);
  const users = new UsersProjection(people);
  return {
    people,
    users,
    organizations: new OrganizationsProjection(),
    invitations: new InvitationsProjection(people, users, now),
    streams: new StreamsProjection(),
  };
}

/** The read models of one process, caught up, and the functions that change them. */
export interface Node extends ReadModels {
  readonly projector: Projector;
  readonly pipeline: CommandPipeline;
  readonly passcodes: Passcodes;
  readonly accounts: Accounts;
  readonly memberships: Memberships;
  readonly asking: InvitationService;
  stop(): Promise<void>;
}

interface NodeOptions {
  readonly snapshots?: SnapshotFiles;
  /** The read models read the time from this clock. */
  readonly now?: () => number;
  /** Projections that come after the others. */
  more?(models: ReadModels): readonly Projection[];
}

export async function startNode(site: Site, options: NodeOptions = {}): Promise<Node> {
  const models = readModels(site, options.now);
  const { people, users, organizations, invitations, streams } = models;
  const projector = new Projector(
    site.store,
    [users, organizations, invitations, streams, ...(options.more?.(models) ?? [])],
    { error: () => undefined },
    options.snapshots,
  );
  await projector.start();
  const pipeline = new CommandPipeline(site.store, projector, people);
  const passcodes = new Passcodes(site.serverKey);
  const memberships = new Memberships(
    pipeline,
    organizations,
    passcodes,
    users,
    { newDatabase: newDatabaseName },
    readConfig({}).accounts,
  );
  return {
    ...models,
    projector,
    pipeline,
    passcodes,
    accounts: new Accounts(pipeline, people, users),
    memberships,
    asking: new InvitationService(memberships, people, invitations, organizations, users),
    stop: () => projector.stop(),
  };
}

/** A command of the system, or of somebody. */
export function by(actor = 'system', more: Partial<CommandContext> = {}): CommandContext {
  return { ...systemContext(), actor, ...more };
}

export const PASSWORD = 'Secret-77';

export function account(name: string, root = false) {
  return { email: `${name}@example.com`, firstName: name, lastName: 'X', password: PASSWORD, root };
}

export function callerOf({ users }: ReadModels, userId: string): Caller {
  const { email = '', root = false } = users.byId(userId) ?? {};
  return { userId, email, root, byPasscode: false };
}

/** Gives the organization as the guard hands it to a route. */
export function organizationOf({ organizations }: ReadModels, name: string): RequestOrganization {
  const found = organizations.find(name);
  if (!found) throw new Error(`no organization ${name}`);
  const { id, database, share } = found;
  return { id, name, database, share, administered: true };
}

export async function eventsOf(store: EventStore): Promise<RecordedEvent[]> {
  const all: RecordedEvent[] = [];
  for await (const event of store.readAll()) all.push(event);
  return all;
}

/** Kinds of failures and how often, and how many succeeded, as `ok`. */
export function tally(outcomes: readonly PromiseSettledResult<unknown>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) {
    const { kind = 'another failure' } =
      outcome.status === 'fulfilled' ? { kind: 'ok' } : (outcome.reason as { kind?: string });
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
