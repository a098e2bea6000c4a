import {
  actorOf,
  clientOwner,
  RECONCILIATION,
  type LostEntry,
  type ReconciledOrganization,
} from '@app/audit';
import type { AuditRow } from '@app/warehouse';
import type { Models } from './look.js';
import { rowsAfter } from './lost-entries.js';
import type { Settling } from './settle-streams.js';

type KeptEntries = Pick<
  ReconciledOrganization,
  'entriesKept' | 'from' | 'to' | 'lastHash' | 'isChained'
>;

const AT_ONCE = 500;
/** Matches actors that are no accounts. The server's key seals where their requests came from. */
const NOBODYS = /^(?:system|anonymous|token .*)$/;

/**
 * Makes an event of each entry whose own event is lost, so that it stays in the trail and is known
 * as lost. Then removes the entry from its old place, which new entries need.
 */
export async function keepLostEntries(
  { kept, deeds, found, difference }: Settling,
  organizationId: string,
): Promise<KeptEntries> {
  const { warehouse } = kept;
  const { database, lost, head, id } = difference;
  if (lost.count > 0) {
    const before = new Set((await keptEntries(kept, organizationId)).map(({ hash }) => hash));
    // If no event knows the organization of a trail, all its entries are of the lost time.
    const after = id === undefined ? -1n : found.upTo;
    let waiting: AuditRow[] = [];
    const keep = async (): Promise<void> => {
      const entries = waiting.map((row) => lostEntry(row, kept, found.models));
      waiting = [];
      await deeds.tell(
        entries.map((data) => ({ type: 'EntryOfLostTime', data })),
        organizationId,
      );
    };
    for await (const row of rowsAfter(warehouse, database, after)) {
      if (!before.has(row.hash)) waiting.push(row);
      if (waiting.length >= AT_ONCE) await keep();
    }
    await keep();
    await warehouse.truncateAudit(database, String(after));
  }
  return inShort(await keptEntries(kept, organizationId), head);
}

/** Reads the entries that this reconciliation has kept by now, in their order. */
async function keptEntries(
  { events }: Settling['kept'],
  organizationId: string,
): Promise<readonly LostEntry[]> {
  const entries: LostEntry[] = [];
  for await (const { type, data, metadata } of events.read(RECONCILIATION)) {
    if (type === 'ReconciliationBegun') entries.length = 0;
    if (type === 'EntryOfLostTime' && metadata.organizationId === organizationId)
      entries.push(data as LostEntry);
  }
  return entries;
}

/** @param head the hash of the last entry that has an event */
function inShort(entries: readonly LostEntry[], head: string): KeptEntries {
  const [first, last] = [entries[0], entries.at(-1)];
  if (!first || !last) return { entriesKept: 0 };
  const isChained = entries.every(
    ({ previousHash }, index) => previousHash === (entries[index - 1]?.hash ?? head),
  );
  return {
    entriesKept: entries.length,
    from: first.occurredAt,
    to: last.occurredAt,
    lastHash: last.hash,
    isChained,
  };
}

function lostEntry(
  row: AuditRow,
  { people }: Settling['kept'],
  { users }: Pick<Models, 'users'>,
): LostEntry {
  const { position, occurredAt, type, outcome, subjectId, requestId, stream, data } = row;
  const { address, userAgent, previousHash, hash } = row;
  const actor = actorOf(row);
  const owner = clientOwner(actor, subjectId);
  const isTold = address !== '' || userAgent !== '';
  const client = isTold && isSealable(users, owner) ? people.seal(owner, { address, userAgent }) : undefined; // prettier-ignore
  return {
    ...{ position, occurredAt, type, outcome, actor, subjectId, requestId, stream, data },
    ...(client === undefined ? {} : { client }),
    previousHash,
    hash,
  };
}

/**
 * @returns whether there is a key that is deleted when this person is erased. If the events do not
 *   know the person, nobody could delete their key.
 */
function isSealable(users: Models['users'], owner: string): boolean {
  if (NOBODYS.test(owner)) return true;
  try {
    return users.byId(owner) !== undefined;
  } catch {
    return false;
  }
}
