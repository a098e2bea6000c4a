// `millrace replay`: makes a read model again out of the events.
import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { FollowLeaderProjection } from '@app/audit';
import { rebuild, usableSnapshot, type Projection } from '@app/event-store';
import { createLogger } from '@app/platform';
import { readConfig } from '@app/config';
import { openStores, refuseOtherAge, type Stores } from './parts/open-parts.js';
import { progressBar } from './terminal/progress-bar.js';

const USAGE = `usage: millrace replay --projection <name> [--from <position>]

Makes a read model again out of the events. The server must be stopped: it has the data directory.

  --projection  one of: users, organizations, invitations, streams, warehouse-tables,
                dropped-tables, forgotten-batches, audit-trail, or all
  --from        what events up to this position made is kept, where there is a snapshot of it;
                0 (the default) keeps nothing. For audit-trail: entries after it are written again.
  --help        this text

MILLRACE_DATA_DIR and the other variables are those of the server.`;

async function replay(stores: Stores, wanted: string, from: bigint): Promise<void> {
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

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      projection: { type: 'string' },
      from: { type: 'string', default: '0' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void console.log(USAGE);
  if (values.projection === undefined) throw new Error(`say which projection\n\n${USAGE}`);
  if (!/^\d+$/.test(values.from)) throw new Error('--from: want a position, a whole number');
  const config = readConfig();
  const stores = await openStores(config, createLogger(config.logLevel));
  try {
    await replay(stores, values.projection, BigInt(values.from));
  } finally {
    await stores.close();
  }
}

try {
  await main();
} catch (error) {
  console.error(`replay: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
