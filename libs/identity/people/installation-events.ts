import { randomUUID } from 'node:crypto';
import { OperatorError } from '@app/platform';
import {
  AuthenticEvents,
  isMac,
  looksAuthentic,
  macOf,
  storedMac,
  type EventFields,
  type EventStore,
  type NewEvent,
  type NotOurs,
  type RecordedEvent,
} from '@app/event-store';
import { ServerKey } from '@app/key-store';
import { z } from 'zod';
import type { Foreign } from './foreign-accounts.js';

/**
 * The stream of the installation's own events. It is beside all others, so that every process finds
 * it.
 */
export const INSTALLATION = 'installation-key';
/** The purpose of the key that makes the MACs of events. */
const MAC_PURPOSE = 'event-macs';
const SIGNED_PURPOSE = 'installation-change';

const SEAL_GONE =
  'the events of this installation were sealed, and their seal is gone: the event store was changed by somebody else; restore it from a backup';

/** The events in the stream of the installation's key. */
export type InstallationEvent =
  | { readonly type: 'InstallationKeyNoted'; readonly data: { readonly check: string } }
  | {
      readonly type: 'InstallationKeyChanged';
      readonly data: {
        readonly check: string;
        /** The key before this one, sealed with this one. */
        readonly former: string;
        /**
         * A signature by the key before. A process that still has that key can see that it was
         * replaced.
         */
        readonly signed?: string;
      };
    }
  | {
      readonly type: 'AccountsLeftOut';
      readonly data: {
        /** Null in {@link NOT_FOR_OLDER}. */
        readonly accounts: readonly string[] | null;
        readonly passcodes: readonly string[] | null;
      };
    }
  /** Notes that events carry MACs from here on; those up to the position are taken as they are. */
  | { readonly type: 'EventsSealed'; readonly data: { readonly upTo: string } };

/**
 * This event makes older releases refuse to start. Release 0.2.0, which has no MACs, reads both
 * lists at its start, before it writes anything, and ends there. Otherwise its events would not
 * count.
 */
export const NOT_FOR_OLDER: InstallationEvent = {
  type: 'AccountsLeftOut',
  data: { accounts: null, passcodes: null },
};

const text = z.string();

export const INSTALLATION_EVENTS: EventFields<InstallationEvent> = {
  InstallationKeyNoted: { check: text },
  InstallationKeyChanged: { check: text, former: text, signed: text.exactOptional() },
  AccountsLeftOut: { accounts: z.array(text).nullable(), passcodes: z.array(text).nullable() },
  EventsSealed: { upTo: text.regex(/^\d+$/) },
};

/** A key that replaced another one. */
export interface Change {
  readonly check: string;
  readonly former: string;
  readonly position: bigint;
}

/** The known facts about an installation's key, and about its events. */
export interface Installation {
  /** The check of the first key; undefined before it is noted. */
  readonly check: string | undefined;
  readonly changes: readonly Change[];
  readonly foreign: Foreign;
  /**
   * Events after this position carry MACs; undefined: older events without a MAC are still
   * accepted.
   */
  readonly sealedUpTo: bigint | undefined;
  /** Tells whether another key has taken this one's place. */
  readonly isFormer: boolean;
  /** The revision of the stream's last event, of any writer; -1 before the first. */
  readonly revision: number;
}

type Stored = InstallationEvent & Pick<RecordedEvent, 'position'>;

/**
 * Reads the stream of the key backwards. The last key proves itself, and opens the one before. Once
 * the events are sealed, everything that none of these keys proves belongs to another program.
 * @param store with the events as they are stored
 */
export async function readInstallation(
  store: EventStore,
  serverKey: ServerKey,
): Promise<Installation> {
  const all: RecordedEvent[] = [];
  for await (const event of store.read(INSTALLATION)) all.push(event);
  const made = authenticOnes(all, serverKey);
  const sealedUpTo = sealIn(made);
  if (sealedUpTo === undefined && all.some((event) => isMadeWith(serverKey, event)))
    throw new OperatorError(SEAL_GONE);
  const isOld = ({ position, metadata }: RecordedEvent): boolean =>
    sealedUpTo === undefined || (position <= sealedUpTo && storedMac(metadata) === undefined);
  const authentic = new Set(made.map(({ position }) => position));
  const ours = all.filter((event) => isOld(event) || authentic.has(event.position));
  return { ...told(ours.flatMap(understood)), sealedUpTo, isFormer: all.some((event) => isFollowing(event, serverKey)), revision: all.at(-1)?.revision ?? -1 }; // prettier-ignore
}

/**
 * If the stream of the seal is lost, other events still show that there was a seal. A new seal
 * would accept events that somebody has written without the key. The keys before this one are lost
 * with that stream, so any MAC counts, whatever its key.
 * @param last up to which position events are read; a seal that others make meanwhile comes later
 */
export async function refuseSealed(store: EventStore, last: bigint): Promise<void> {
  for await (const event of store.readAll()) {
    if (event.position > last) return;
    if (looksAuthentic(event)) throw new OperatorError(SEAL_GONE);
  }
}

/**
 * Opens the events. Events that this installation has not written keep their place, and are read
 * without content.
 */
export const authenticEvents = (
  store: EventStore,
  serverKey: ServerKey,
  sealedUpTo: bigint,
  met: NotOurs,
  appendWith = serverKey,
): AuthenticEvents =>
  new AuthenticEvents(
    store,
    {
      key: appendWith.derive(MAC_PURPOSE),
      keyAt: (position) => serverKey.deriveAt(MAC_PURPOSE, position),
      sealedUpTo,
    },
    met,
  );

export const checkOf = (key: ServerKey): string => key.fingerprint('installation', 'millrace');

/** @param current the key whose place `next` takes */
export function keyChanged(current: ServerKey, next: ServerKey): NewEvent {
  const [check, former] = [checkOf(next), current.sealFor(next)];
  const signed = signatureOf(current, check, former);
  return newEvent({ type: 'InstallationKeyChanged', data: { check, former, signed } });
}

export function newEvent(event: InstallationEvent): NewEvent {
  const id = randomUUID();
  return {
    id,
    ...event,
    metadata: {
      $correlationId: id,
      $causationId: id,
      actor: 'system',
      schemaVersion: 1,
      occurredAt: new Date().toISOString(),
    },
  };
}

const signatureOf = (key: ServerKey, check: string, former: string): string =>
  key.fingerprint(SIGNED_PURPOSE, `${check} ${former}`);

const isMadeWith = (key: ServerKey, event: RecordedEvent): boolean =>
  isMac(storedMac(event.metadata), macOf(key.derive(MAC_PURPOSE), event));

/** The events that carry a MAC of this key or of one before it, the last one first. */
function authenticOnes(all: readonly RecordedEvent[], serverKey: ServerKey): RecordedEvent[] {
  let key = serverKey;
  return all.toReversed().filter((event) => {
    if (!isMadeWith(key, event)) return false;
    const [{ type, data } = event] = understood(event);
    if (type === 'InstallationKeyChanged')
      key = new ServerKey(key.openFormer((data as Change).former));
    return true;
  });
}

/** @param made events with a MAC, the last one first */
function sealIn(made: readonly RecordedEvent[]): bigint | undefined {
  for (const event of made.flatMap(understood))
    if (event.type === 'EventsSealed') return BigInt(event.data.upTo);
  return undefined;
}

function isFollowing(event: RecordedEvent, serverKey: ServerKey): boolean {
  return understood(event).some(
    ({ type, data }) =>
      type === 'InstallationKeyChanged' &&
      isMac(data.signed, signatureOf(serverKey, data.check, data.former)),
  );
}

/** An event is understood as long as its fields are those of its type; what else is in the stream says nothing here. */
function understood({ type, data, position }: RecordedEvent): readonly Stored[] {
  if (!Object.hasOwn(INSTALLATION_EVENTS, type)) return [];
  const fields = INSTALLATION_EVENTS[type as InstallationEvent['type']];
  return z.object(fields).safeParse(data).success ? [{ type, data, position } as Stored] : [];
}

function told(events: readonly Stored[]): Pick<Installation, 'check' | 'changes' | 'foreign'> {
  let check: string | undefined;
  const changes: Change[] = [];
  const accounts = new Set<string>();
  const passcodes = new Set<string>();
  for (const { type, data, position } of events) {
    if (type === 'InstallationKeyChanged') changes.push({ ...data, position });
    if (type === 'InstallationKeyNoted') check ??= data.check;
    if (type !== 'AccountsLeftOut') continue;
    for (const id of data.accounts ?? []) accounts.add(id);
    for (const id of data.passcodes ?? []) passcodes.add(id);
  }
  return { check, changes, foreign: { accounts, passcodes } };
}
