import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '@app/platform';
import type { EventStore } from '@app/event-store';
import type { AuditTables } from '@app/warehouse';
import { RECONCILIATION } from './reconciliation-events.js';

/** A node of a cluster that follows may be this far behind the one that has the last event. */
export const LAG_MS = 10_000;
export const LOOK_MS = 200;

export const ADVICE =
  'nothing was changed; `millrace reconcile` lists what differs, and brings both together (docs/operations.md, "Stores of different age")';

/**
 * Refuses to start if the events are older than what was made from them. New events would get
 * positions that the trails already have, and so would get no entry.
 * @param isShared whether other processes append, and the event store may be several nodes
 * @throws {Error} when a trail has entries after the last event, or a reconciliation has not ended
 */
export async function refuseLostTime(
  events: EventStore,
  tables: AuditTables,
  isShared: boolean,
): Promise<void> {
  if ((await openReconciliation(events)) !== undefined)
    throw new OperatorError(
      'a reconciliation has begun and not ended: run `millrace reconcile` once more, for the organizations that are left (docs/operations.md, "Stores of different age")',
    );
  // The tables are asked first. Entries that other processes add meanwhile then belong to events
  // that the store has.
  const entry = await tables.lastAuditPosition();
  if (entry === undefined) return;
  const until = performance.now() + (isShared ? LAG_MS : 0);
  for (;;) {
    const last = (await events.lastPosition()) ?? 0n;
    if (last >= BigInt(entry)) return;
    if (performance.now() >= until)
      throw new OperatorError(
        `the audit trail has entries up to position ${entry}, and the last event is at ${last}: the event store is older than the warehouse, as one that was restored from an earlier backup; ${ADVICE}`,
      );
    await sleep(LOOK_MS);
  }
}

/**
 * Finds a reconciliation that has begun and not ended. The result is the last position that the
 * store had when it began; it is undefined when there is no such reconciliation.
 */
export async function openReconciliation(events: EventStore): Promise<bigint | undefined> {
  for await (const { type, data } of events.read(RECONCILIATION, { direction: 'backward' })) {
    if (type === 'ReconciliationEnded') return undefined;
    if (type === 'ReconciliationBegun') return BigInt((data as { readonly upTo: string }).upTo);
  }
  return undefined;
}
