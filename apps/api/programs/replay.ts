import 'reflect-metadata';
import { FollowLeaderProjection } from '@app/audit';
import { rebuild, usableSnapshot, type Projection } from '@app/event-store';
import { createLogger } from '@app/platform';
import { readConfig } from '@app/config';
import { openStores, refuseOtherAge, type Stores } from '../parts/open-parts.js';
import { progressBar } from '../terminal/progress-bar.js';

async function makeAgain(stores: Stores, wanted: string, from: bigint): Promise<void> {
  await refuseOtherAge(stores);
  await stores.lead.take();
  const readModels = stores.projections.filter((each) => !(each instanceof FollowLeaderProjection));
  const names = readModels.map(({ name }) => name);
  if (wanted !== 'all' && !names.includes(wanted))
    throw new Error(`there is no projection ${wanted}; there are ${names.join(', ')}, all`);
  const last = (await stores.events.lastPosition()) ?? 0n;
  // The others are needed to make this one, and what is only known must be known before what is
  // carried out: tables need streams, the audit trail needs names.
  const carriedOut = (each: Projection): number =>
    'caughtUp' in each && each !== stores.users ? 1 : 0;
  const inOrder = [...readModels].sort((a, b) => carriedOut(a) - carriedOut(b));
  for (const projection of inOrder) {
    const chosen = wanted === 'all' || projection.name === wanted;
    const bar = chosen ? progressBar(projection.name, last) : undefined;
    if (chosen && projection === stores.auditTrail) await truncateTrail(stores, from);
    const count = await rebuild(stores.events, projection, stores.snapshots, {
      from: chosen ? from : last,
      onProgress: (position) => bar?.update(position),
    });
    bar?.end(`${count} events`);
  }
}

/** A snapshot of later entries than those that stay goes first: broken off, it would call for them. */
async function truncateTrail(stores: Stores, from: bigint): Promise<void> {
  const { auditTrail, events, snapshots } = stores;
  const kept = await usableSnapshot(snapshots, auditTrail, events);
  if (kept && kept.position > from) await snapshots.remove(auditTrail.name);
  await auditTrail.truncate(from);
}

/**
 * Makes read models again out of the events.
 * @param wanted the name of one, or `all`
 * @param from the position up to which what events made is kept
 * @throws {Error} when there is no such read model, or the stores cannot be opened
 */
export async function replay(wanted: string, from: bigint): Promise<void> {
  const config = readConfig();
  const stores = await openStores(config, createLogger(config.logLevel));
  try {
    await makeAgain(stores, wanted, from);
  } finally {
    await stores.close();
  }
}
