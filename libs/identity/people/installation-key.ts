import { randomUUID, timingSafeEqual } from 'node:crypto';
import {
  LeftOutEvents,
  WrongExpectedRevisionError,
  type EventStore,
  type NewEvent,
} from '@app/event-store';
import { ServerKey, type FormerKey, type PersonKeys } from '@app/key-store';
import { findForeign, isForeign, NOTHING_FOREIGN, type Foreign } from './foreign-accounts.js';
import { Passcodes } from './passcode.js';

/** Whose events these are: a stream of its own, beside them, so that every process finds it. */
const STREAM = 'installation-key';
const NOTED = 'InstallationKeyNoted';
const CHANGED = 'InstallationKeyChanged';
const ACCOUNTS_LEFT_OUT = 'AccountsLeftOut';
/** In the stream of the installation's key. */
export type InstallationEvent =
  | { readonly type: typeof NOTED; readonly data: { readonly check: string } }
  | {
      readonly type: typeof CHANGED;
      readonly data: { readonly check: string; readonly former: string };
    }
  | {
      readonly type: typeof ACCOUNTS_LEFT_OUT;
      readonly data: {
        readonly accounts: readonly string[];
        readonly passcodes: readonly string[];
      };
    };
/** What one event names: a store may bound an event's bytes. */
const NAMED_AT_ONCE = 1000;
const LOGGED_MAX = 10;

export interface InstallationKeyLog {
  warn(details: object, message: string): void;
}

export interface KeyHolder {
  readonly serverKey: ServerKey;
  /** Opens them; absent in a process that has none: it checks the key, and notes nothing. */
  readonly openKeys?: () => Promise<PersonKeys>;
  readonly log: InstallationKeyLog;
}

/**
 * Makes sure that this process has the key that the events were written with, and answers the
 * events as everybody sees them. To another key nobody exists, since e-mails are hashed with the
 * key: it would found the installation anew in the same events. The first process of all notes a
 * check of its key; where events are older than such checks, only a key that opens the first of
 * them is noted, together with what an installation with another key left among them meanwhile.
 * @throws {Error} when the events were written with another key.
 */
export async function eventsOfInstallation(
  store: EventStore,
  { serverKey, openKeys, log }: KeyHolder,
): Promise<EventStore> {
  const check = checkOf(serverKey);
  const kept = await noted(store);
  if (kept) return accept(store, kept, serverKey, log);
  const isNew = (await store.lastPosition()) === undefined;
  if (!isNew && !(await opensFirst(store, serverKey))) throw new Error(OTHER_KEY);
  if (!openKeys) return store;
  const foreign = isNew
    ? NOTHING_FOREIGN
    : await findForeign(store, new Passcodes(serverKey), await openKeys());
  try {
    await store.append(STREAM, noteOf(check, foreign), 'no-stream');
  } catch (error) {
    // Another process, which starts at the same moment, was faster.
    if (!(error instanceof WrongExpectedRevisionError)) throw error;
  }
  const now = await noted(store);
  if (!now) throw new Error('the event store does not give back what was noted about the key');
  return accept(store, now, serverKey, log);
}

const OTHER_KEY =
  'MILLRACE_SECRET_KEY is not the key that the events of this installation were written with (nor is the file secret-key, where that is used); give every process the key of the first one';

/** A key that came after another one. */
interface Change {
  readonly check: string;
  /** The one before, sealed with this one. */
  readonly former: string;
  readonly position: bigint;
}

interface Noted {
  /** Of the first key. */
  readonly check: string;
  readonly changes: readonly Change[];
  readonly foreign: Foreign;
  /** How many events the stream has. */
  readonly length: number;
}

/** The key is one that was in force before. */
export class FormerKeyError extends Error {
  constructor() {
    super(
      'MILLRACE_SECRET_KEY (or the file secret-key) is the key from before it was changed; give every process the new one. If the change was broken off, run `millrace change-key` once more',
    );
    this.name = 'FormerKeyError';
  }
}

/**
 * From now on `next` is the key of these events, and the one of before opens nothing by itself. No
 * other process may run meanwhile. The keys of people are to be wrapped anew after it.
 * @param events of this installation, opened with `current`
 * @throws {Error} when the key was in use before
 */
export async function changeInstallationKey(
  events: EventStore,
  current: ServerKey,
  next: ServerKey,
): Promise<void> {
  const before = await noted(events);
  if (!before) throw new Error('the events have no check of the key: start the server once');
  const check = checkOf(next);
  if ([before, ...before.changes].some((each) => each.check === check))
    throw new Error('this key is, or was, the key of this installation; want another one');
  const change = newEvent({ type: CHANGED, data: { check, former: current.sealFor(next) } });
  await events.append(STREAM, [change], before.length - 1);
}

const checkOf = (key: ServerKey): string => key.fingerprint('installation', 'millrace');

function accept(
  store: EventStore,
  { check, changes, foreign }: Noted,
  serverKey: ServerKey,
  log: InstallationKeyLog,
): EventStore {
  const mine = checkOf(serverKey);
  const checks = [check, ...changes.map((change) => change.check)];
  if (!isSame(checks.at(-1) ?? '', mine))
    throw checks.some((each) => isSame(each, mine)) ? new FormerKeyError() : new Error(OTHER_KEY);
  serverKey.knowFormer(formerOf(serverKey, changes));
  const { accounts, passcodes } = foreign;
  if (accounts.size + passcodes.size === 0) return store;
  log.warn(
    {
      accounts: accounts.size,
      passcodes: passcodes.size,
      first: [...accounts, ...passcodes].slice(0, LOGGED_MAX),
    },
    'accounts and passcodes are left out that a server with another MILLRACE_SECRET_KEY has written among the events of this installation',
  );
  return new LeftOutEvents(store, (event) => isForeign(event, foreign));
}

function isSame(check: string, mine: string): boolean {
  const [a, b] = [Buffer.from(check), Buffer.from(mine)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Each opens the one before. */
function formerOf(newest: ServerKey, changes: readonly Change[]): readonly FormerKey[] {
  let key = newest;
  const former: FormerKey[] = [];
  for (const { former: sealed, position: until } of changes.toReversed()) {
    const secret = key.openFormer(sealed);
    former.unshift({ secret, until });
    key = new ServerKey(secret);
  }
  return former;
}

async function noted(store: EventStore): Promise<Noted | undefined> {
  let check: string | undefined;
  let length = 0;
  const changes: Change[] = [];
  const accounts = new Set<string>();
  const passcodes = new Set<string>();
  for await (const { type, data, position } of store.read(STREAM)) {
    length += 1;
    if (type === CHANGED) changes.push({ ...(data as Omit<Change, 'position'>), position });
    if (type === NOTED) check ??= (data as { readonly check: string }).check;
    if (type !== ACCOUNTS_LEFT_OUT) continue;
    const named = data as { readonly accounts: string[]; readonly passcodes: string[] };
    for (const id of named.accounts) accounts.add(id);
    for (const id of named.passcodes) passcodes.add(id);
  }
  if (check === undefined) return undefined;
  return { check, changes, foreign: { accounts, passcodes }, length };
}

function noteOf(check: string, { accounts, passcodes }: Foreign): NewEvent[] {
  const events = [newEvent({ type: NOTED, data: { check } })];
  const [ids, rotations] = [[...accounts], [...passcodes]];
  for (let at = 0; at < Math.max(ids.length, rotations.length); at += NAMED_AT_ONCE)
    events.push(
      newEvent({
        type: ACCOUNTS_LEFT_OUT,
        data: {
          accounts: ids.slice(at, at + NAMED_AT_ONCE),
          passcodes: rotations.slice(at, at + NAMED_AT_ONCE),
        },
      }),
    );
  return events;
}

function newEvent(event: InstallationEvent): NewEvent {
  const id = randomUUID();
  return {
    id,
    ...event,
    metadata: {
      $correlationId: id,
      $causationId: id,
      actor: 'system',
      occurredAt: new Date().toISOString(),
    },
  };
}

/** Whether the key opens the first text that was sealed with one; while there is none, any does. */
async function opensFirst(store: EventStore, serverKey: ServerKey): Promise<boolean> {
  const passcodes = new Passcodes(serverKey);
  for await (const event of store.readAll())
    if (event.type === 'PasscodeRotated') return passcodes.opens(event);
  return true;
}
