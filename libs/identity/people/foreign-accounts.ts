import { OperatorError } from '@app/platform';
import type { EventStore, RecordedEvent } from '@app/event-store';
import { unseal, type PersonKeys } from '@app/key-store';
import type { UserRegistered } from '../aggregates/user.aggregate.js';
import type { Passcodes } from './passcode.js';

/** Events that a server with another key has left among those of an installation. */
export interface Foreign {
  /** The ids of a second root account, and of accounts that one of these has registered. */
  readonly accounts: ReadonlySet<string>;
  /** The ids of events with passcodes that the key does not open. */
  readonly passcodes: ReadonlySet<string>;
}

export const NOTHING_FOREIGN: Foreign = { accounts: new Set(), passcodes: new Set() };

/**
 * Finds accounts of other installations by reading all events once. An installation has one root
 * account. When there are several, the one whose data this key opens is ours, and the others were
 * written with another key. A missing key alone makes no account foreign: it may have been lost,
 * and be restored.
 * @throws {Error} when there are several and this key opens none of them.
 */
export async function findForeign(
  store: EventStore,
  passcodes: Passcodes,
  keys: PersonKeys,
): Promise<Foreign> {
  const registered: RecordedEvent[] = [];
  const sealedOtherwise = new Set<string>();
  for await (const event of store.readAll()) {
    if (event.type === 'UserRegistered') registered.push(event);
    if (event.type === 'PasscodeRotated' && !passcodes.opens(event)) sealedOtherwise.add(event.id);
  }
  const roots = registered.filter((event) => dataOf(event).root);
  if (roots.length < 2) return { accounts: new Set(), passcodes: sealedOtherwise };
  const ours = roots.find((event) => opensProfile(dataOf(event), keys));
  if (!ours) throw new OperatorError(NO_ROOT_OPENS);
  const accounts = new Set(roots.filter((root) => root !== ours).map((root) => dataOf(root).id));
  for (const event of registered)
    if (accounts.has(event.metadata.actor)) accounts.add(dataOf(event).id);
  return { accounts, passcodes: sealedOtherwise };
}

/**
 * Tells whether the event belongs to such an account, makes it a member of something, or has such a
 * passcode.
 */
export function isForeign(event: RecordedEvent, { accounts, passcodes }: Foreign): boolean {
  if (event.stream.startsWith('user-')) return accounts.has(event.stream.slice('user-'.length));
  if (!event.stream.startsWith('organization-')) return false;
  const { userId } = event.data as { readonly userId?: string };
  return passcodes.has(event.id) || (userId !== undefined && accounts.has(userId));
}

const NO_ROOT_OPENS =
  'there are several root accounts in the events, and the keys of people open none of them; restore those keys (<data>/person-keys, or millrace.person_keys on a ClickHouse server) from the same backup as the events';

const dataOf = (event: RecordedEvent): UserRegistered['data'] =>
  event.data as UserRegistered['data'];

function opensProfile({ id, profile }: UserRegistered['data'], keys: PersonKeys): boolean {
  try {
    return keys.find(id).some((key) => unseal(key, profile, `profile/${id}`) !== '');
  } catch {
    return false;
  }
}
