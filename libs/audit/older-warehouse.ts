import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '@app/platform';
import { usableSnapshot, type EventStore, type SnapshotFiles } from '@app/event-store';
import type { AuditTables } from '@app/warehouse';
import { ADVICE, LAG_MS, LOOK_MS } from './lost-time.js';
import { isBroken, lastPositionOf } from './trail/last-position.js';
import type { AuditTrailProjection } from './trail/audit-trail.projection.js';
import type { StoredChain } from './trail/stored-chains.js';

interface KeptTrails {
  readonly events: EventStore;
  readonly tables: AuditTables;
  readonly snapshots: SnapshotFiles;
  readonly trail: AuditTrailProjection;
}

/** The trail of one database ends before the last entry that was written there. */
interface ShorterTrail {
  readonly database: string;
  readonly position: bigint;
  readonly written: bigint;
}

/**
 * A snapshot of the trails is kept when its entries are in the tables, on disk. If they are not
 * there any more, the warehouse is older, or another one. New entries would then follow a gap, and
 * tables that are gone would be made again, empty, without a message.
 * @param isShared whether the warehouse may be several nodes
 * @throws {Error} when a trail lacks entries that were written
 */
export async function refuseOlderWarehouse(kept: KeptTrails, isShared: boolean): Promise<void> {
  const snapshot = await usableSnapshot(kept.snapshots, kept.trail, kept.events);
  if (!snapshot) return;
  const chains = snapshot.state as readonly StoredChain[];
  const until = performance.now() + (isShared ? LAG_MS : 0);
  while (!(await reaches(kept.tables, chains))) {
    // Entries of an organization disappear with it. That is rare, so it is checked only now.
    const deleted = await deletedAfter(kept.events, snapshot.position);
    const left = chains.filter(({ database }) => !deleted.has(database));
    const shorter = await shorterTrail(kept.tables, left);
    if (!shorter) return;
    if (performance.now() >= until) throw new OperatorError(reason(shorter));
    await sleep(LOOK_MS);
  }
}

/** One statement for all trails: there may be thousands. */
async function reaches(tables: AuditTables, chains: readonly StoredChain[]): Promise<boolean> {
  const written = chains.map(({ position }) => BigInt(position));
  const last = written.reduce((most, each) => (each > most ? each : most), -1n);
  return BigInt((await tables.lastAuditPosition()) ?? -1) >= last;
}

async function deletedAfter(events: EventStore, position: bigint): Promise<ReadonlySet<string>> {
  const deleted = new Set<string>();
  for await (const { type, data } of events.readAll({ after: position }))
    if (type === 'OrganizationDeleted')
      deleted.add((data as { readonly database: string }).database);
  return deleted;
}

async function shorterTrail(
  tables: AuditTables,
  chains: readonly StoredChain[],
): Promise<ShorterTrail | undefined> {
  for (const { database, position } of chains) {
    const there = await writtenUpTo(tables, database);
    if (there === undefined) continue;
    const written = BigInt(position);
    if (there < written) return { database, position: there, written };
  }
  return undefined;
}

/** It is undefined where the table cannot be read: nobody knows then how old it is. */
async function writtenUpTo(tables: AuditTables, database: string): Promise<bigint | undefined> {
  try {
    return (await lastPositionOf(tables, database)) ?? -1n;
  } catch (error) {
    if (isBroken(error)) return undefined;
    throw error;
  }
}

const reason = ({ database, position, written }: ShorterTrail): string =>
  `the audit trail of the database ${database} ${position < 0n ? 'is gone' : `ends at position ${position}`}, and was written up to ${written}: the warehouse is older than the events, as one that was restored from an earlier backup, or it is another one, or a damaged part of the trail was set aside; ${ADVICE}`;
