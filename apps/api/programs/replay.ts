import 'reflect-metadata';
import { FollowLeaderProjection } from '@app/audit';
import { isSnapshotted, rebuild, usableSnapshot, type Projection } from '@app/event-store';
import { createLogger } from '@app/platform';
import { openStores, refuseOtherAge, type Stores } from '../components/open-components.js';
import { progressBar } from '../terminal/progress-bar.js';
import { configOfServer } from '../terminal/config-of-server.js';

async function makeAgain(stores: Stores, wanted: string, from: bigint): Promise<void> {
  await refuseOtherAge(stores);
  await stores.lead.take();
  const readModels = stores.projections.filter((each) => !(each instanceof FollowLeaderProjection));
  const last = (await stores.events.lastPosition()) ?? 0n;
  const isChosen = ({ name }: Projection): boolean => wanted === 'all' || name === wanted;
  const make = async (projections: readonly Projection[]): Promise<void> => {
    const chosen = projections.filter(isChosen).map(({ name }) => name);
    const bar = chosen.length > 0 ? progressBar(chosen.join(', '), last) : undefined;
    const counts = await rebuild(stores.events, projections, stores.snapshots, {
      from: (projection) => (isChosen(projection) ? from : last),
      onProgress: (position) => bar?.update(position),
    });
    bar?.end(`${Math.max(...counts)} events`);
  };
  // This read model depends on the others. Models in memory come before projections that act:
  // tables need streams, and the audit trail needs names. All models in memory share one reading of
  // the events.
  const known = readModels.filter((each) => isSnapshotted(each) && each !== stores.auditTrail);
  await make(known);
  for (const projection of readModels.filter((each) => !known.includes(each))) {
    if (isChosen(projection) && projection === stores.auditTrail) await truncateTrail(stores, from);
    await make([projection]);
  }
}

/**
 * A snapshot of later entries must go first. If the replay stops halfway, it would ask for entries
 * that no longer exist.
 */
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
 * @throws {Error} when the stores cannot be opened
 */
export async function replay(wanted: string, from: bigint): Promise<void> {
  const config = configOfServer();
  const stores = await openStores(config, createLogger(config.logLevel));
  try {
    await makeAgain(stores, wanted, from);
  } finally {
    await stores.close();
  }
}
