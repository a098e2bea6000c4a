import { timingSafeEqual } from 'node:crypto';
import { OperatorError } from '@app/platform';
import {
  LeftOutEvents,
  WrongExpectedRevisionError,
  type AuthenticEvents,
  type EventStore,
  type NewEvent,
  type NotOurs,
} from '@app/event-store';
import { ServerKey, type FormerKey, type PersonKeys } from '@app/key-store';
import { findForeign, isForeign, NOTHING_FOREIGN, type Foreign } from './foreign-accounts.js';
import {
  authenticEvents,
  checkOf,
  INSTALLATION,
  keyChanged,
  newEvent,
  NOT_FOR_OLDER,
  readInstallation,
  refuseSealed,
  type Change,
  type Installation,
} from './installation-events.js';
import { Passcodes } from './passcode.js';

/** One event names at most so many, since a store may bound an event's bytes. */
const NAMED_AT_ONCE = 1000;
const LOGGED_MAX = 10;

interface InstallationKeyLog {
  warn(details: object, message: string): void;
}

interface KeyHolder {
  readonly serverKey: ServerKey;
  /**
   * Opens the keys of people; absent in a process without them, which checks the key and notes
   * nothing.
   */
  readonly openKeys?: () => Promise<PersonKeys>;
  /** No other process appends, so events of a release from before MACs may be sealed off now. */
  readonly isAlone: boolean;
  /** The events of a store as this program understands them. */
  understand(this: void, store: EventStore): EventStore;
  readonly notOurs: NotOurs;
  readonly log: InstallationKeyLog;
}

/** An installation's events, in two forms. */
interface InstallationEvents {
  /** The events as all other code sees them. */
  readonly events: EventStore;
  /** The same events, with a judgement on each whether it is ours, and without other changes. */
  readonly authentic: AuthenticEvents;
}

/**
 * Makes sure that this process has the key that the events were written with, and answers the
 * events as everybody sees them: those that the installation has written. With another key no
 * account would be found, since e-mails are hashed with the key. A second installation would begin
 * in the same events. The first process of all notes a check of its key; where events are older
 * than such checks, only a key that opens the first of them is noted, together with what an
 * installation with another key left among them meanwhile. What is older than MACs is sealed off by
 * a position.
 * @param store as it is stored
 * @throws {Error} when the events were written with another key, or are to be sealed and may not be
 */
export async function eventsOfInstallation(
  store: EventStore,
  holder: KeyHolder,
): Promise<InstallationEvents> {
  const { serverKey, openKeys } = holder;
  // The position is read before the key: another process may found the installation meanwhile, and
  // notes its key with the first events.
  const last = await store.lastPosition();
  let installation = await known(store, serverKey);
  if (installation.sealedUpTo === undefined) {
    if (last === undefined && !openKeys) return seen(store, installation, 0n, holder);
    if (last !== undefined) {
      await refuseSealed(store, last);
      if (!holder.isAlone || !openKeys) throw new NotSealedError();
    }
    await seal(store, installation, last, holder);
    installation = await known(store, serverKey);
  }
  const { sealedUpTo } = installation;
  if (sealedUpTo === undefined)
    throw new Error('the event store does not give back what was noted about the key');
  return seen(store, installation, sealedUpTo, holder);
}

const OTHER_KEY =
  'MILLRACE_SECRET_KEY is not the key that the events of this installation were written with (nor is the file secret-key, where that is used); give every process the key of the first one';

/** The key was in force earlier. */
export class FormerKeyError extends Error {
  constructor() {
    super(
      'MILLRACE_SECRET_KEY (or the file secret-key) is the key from before it was changed; give every process the new one. If the change was broken off, run `millrace change-key` once more',
    );
    this.name = 'FormerKeyError';
  }
}

/** A release from before events had MACs may be running at the same time. */
export class NotSealedError extends Error {
  constructor() {
    super(
      'the events of this installation were written by a release from before events had MACs: stop every process of it, run `millrace seal-events` once, and start this release everywhere (docs/operations.md, "Upgrade")',
    );
    this.name = 'NotSealedError';
  }
}

/**
 * From now on `next` is the key of these events, and the one of before opens nothing by itself. No
 * other process may run meanwhile. The keys of people are to be wrapped anew after it.
 * @param store as it is stored, of this installation, opened with `current`
 * @throws {Error} when the key was in use before
 */
export async function changeInstallationKey(
  store: EventStore,
  current: ServerKey,
  next: ServerKey,
  met: NotOurs,
): Promise<void> {
  const { check: first, changes, sealedUpTo, revision } = await readInstallation(store, current);
  if (first === undefined || sealedUpTo === undefined)
    throw new OperatorError('the events have no check of the key: start the server once');
  const check = checkOf(next);
  if ([first, ...changes.map((each) => each.check)].includes(check))
    throw new OperatorError('this key is, or was, the key of this installation; want another one');
  const events = authenticEvents(store, current, sealedUpTo, met, next);
  await events.append(INSTALLATION, [keyChanged(current, next)], revision);
}

/**
 * From now on, the key knows the keys before it.
 * @throws when it is not the key of the installation
 */
export async function recognizeKey(store: EventStore, serverKey: ServerKey): Promise<void> {
  await known(store, serverKey);
}

async function known(store: EventStore, serverKey: ServerKey): Promise<Installation> {
  const installation = await readInstallation(store, serverKey);
  const { check, changes, isFormer } = installation;
  if (isFormer) throw new FormerKeyError();
  if (check === undefined) return installation;
  const mine = checkOf(serverKey);
  const checks = [check, ...changes.map((change) => change.check)];
  if (!isSame(changes.at(-1)?.check ?? check, mine))
    throw checks.some((each) => isSame(each, mine)) ? new FormerKeyError() : new Error(OTHER_KEY);
  serverKey.knowFormer(formerOf(serverKey, changes));
  return installation;
}

/** @param last position of the last event; undefined: the store is empty */
async function seal(
  store: EventStore,
  { check, revision }: Installation,
  last: bigint | undefined,
  { serverKey, openKeys, understand, notOurs }: KeyHolder,
): Promise<void> {
  const events = authenticEvents(store, serverKey, last ?? 0n, notOurs);
  const noted: NewEvent[] = [];
  if (check === undefined) {
    const old = understand(events);
    if (last !== undefined && !(await opensFirst(old, serverKey)))
      throw new OperatorError(OTHER_KEY);
    const foreign =
      last === undefined || !openKeys
        ? NOTHING_FOREIGN
        : await findForeign(old, new Passcodes(serverKey), await openKeys());
    noted.push(...noteOf(checkOf(serverKey), foreign));
  }
  noted.push(newEvent({ type: 'EventsSealed', data: { upTo: String(last ?? 0n) } }));
  noted.push(newEvent(NOT_FOR_OLDER));
  try {
    await events.append(INSTALLATION, noted, revision === -1 ? 'no-stream' : revision);
  } catch (error) {
    // Another process, which starts at the same moment, was faster.
    if (!(error instanceof WrongExpectedRevisionError)) throw error;
  }
}

function seen(
  store: EventStore,
  { foreign }: Installation,
  sealedUpTo: bigint,
  { serverKey, understand, notOurs, log }: KeyHolder,
): InstallationEvents {
  const authentic = authenticEvents(store, serverKey, sealedUpTo, notOurs);
  const events = understand(authentic);
  const { accounts, passcodes } = foreign;
  if (accounts.size + passcodes.size === 0) return { events, authentic };
  log.warn(
    {
      accounts: accounts.size,
      passcodes: passcodes.size,
      first: [...accounts, ...passcodes].slice(0, LOGGED_MAX),
    },
    'accounts and passcodes are left out that a server with another MILLRACE_SECRET_KEY has written among the events of this installation',
  );
  return { events: new LeftOutEvents(events, (event) => isForeign(event, foreign)), authentic };
}

function isSame(check: string, mine: string): boolean {
  const [a, b] = [Buffer.from(check), Buffer.from(mine)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Each key opens the one before. */
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

function noteOf(check: string, { accounts, passcodes }: Foreign): NewEvent[] {
  const events = [newEvent({ type: 'InstallationKeyNoted', data: { check } })];
  const [ids, rotations] = [[...accounts], [...passcodes]];
  for (let at = 0; at < Math.max(ids.length, rotations.length); at += NAMED_AT_ONCE)
    events.push(
      newEvent({
        type: 'AccountsLeftOut',
        data: {
          accounts: ids.slice(at, at + NAMED_AT_ONCE),
          passcodes: rotations.slice(at, at + NAMED_AT_ONCE),
        },
      }),
    );
  return events;
}

/**
 * Tells whether the key opens the first text that was sealed with a key. While there is none, any
 * key does.
 */
async function opensFirst(store: EventStore, serverKey: ServerKey): Promise<boolean> {
  const passcodes = new Passcodes(serverKey);
  for await (const event of store.readAll())
    if (event.type === 'PasscodeRotated') return passcodes.opens(event);
  return true;
}
