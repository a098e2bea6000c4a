import 'reflect-metadata';
import { join } from 'node:path';
import { Projector } from '@app/event-store';
import { Passcodes } from '@app/identity';
import { readConfig, type Config } from '@app/config';
import { createLogger } from '@app/platform';
import { look, reconcile, type Look, type Mode } from '@app/reconcile';
import { openDeadLetter, readableBatch, type Batch } from '@app/writer';
import { AccountsDirectory } from '../parts/accounts-directory.js';
import { auditKey } from '../parts/audit-key.js';
import { openStores, type Stores } from '../parts/open-parts.js';
import { tellDifferences } from '../terminal/tell-differences.js';

/**
 * Compares the stores of the installation and tells what differs.
 * @param mode what becomes of that; undefined: nothing is changed
 * @param organization undefined: all of them
 * @throws {Error} when the stores cannot be opened, or cannot be brought together
 */
export async function reconcileStores(
  mode: Mode | undefined,
  organization: string | undefined,
): Promise<void> {
  const config = readConfig();
  const stores = await openStores(config, createLogger(config.logLevel));
  try {
    await run(stores, mode, organization);
  } finally {
    await stores.close();
  }
}

async function run(
  stores: Stores,
  mode: Mode | undefined,
  organization: string | undefined,
): Promise<void> {
  const { events, warehouse, people, serverKey, notUnderstood } = stores;
  const kept = {
    events,
    warehouse,
    people,
    passcodes: new Passcodes(serverKey),
    chainKey: auditKey(serverKey),
    waiting: () => batchesWaiting(stores.config),
    directory: ({ users, organizations, streams }: Look['models']) =>
      new AccountsDirectory(users, organizations, people, notUnderstood, streams),
  };
  const found = await look(kept);
  for (const line of tellDifferences(found)) console.log(line);
  const differs = found.isOpen || found.differences.length + found.accounts.length > 0;
  if (!differs) return void console.log('nothing differs');
  if (mode === undefined) {
    console.log('nothing was changed');
    process.exitCode = 1;
    return;
  }
  // An event that this version does not understand may explain what the tables have.
  if (notUnderstood.count > 0)
    throw new Error(
      'there are events that this version does not understand (`millrace audit:verify` lists them): run it with the version that wrote them',
    );
  // The events that are read again may be older than a snapshot of the lost ones.
  for (const { name } of stores.projections) await stores.snapshots.remove(name);
  const left = await reconcile(kept, found, mode, organization);
  if (left.isOpen) {
    console.log(`left are ${left.differences.map(({ name }) => name).join(', ') || 'accounts'}`);
    process.exitCode = 1;
    return;
  }
  await carryOut(stores);
  if (left.accounts.length === 0) return;
  console.log('accounts whose keys are gone are left: restore those keys, or use --drop');
  process.exitCode = 1;
}

/**
 * Kafka's own tools tell what waits there. Nobody else can read it without being one of the
 * writers.
 */
async function* batchesWaiting({ kafka, dataDirectory }: Config): AsyncIterable<Batch> {
  for (const { headers } of await openDeadLetter(dataDirectory).list()) yield* batchOf(headers);
  if (kafka !== undefined) return;
  const { waitingHeaders } = await import('@app/ingest-queue/embedded');
  for await (const headers of waitingHeaders(join(dataDirectory, 'queue'))) yield* batchOf(headers);
}

function batchOf(headers: Readonly<Record<string, string>>): readonly Batch[] {
  const batch = readableBatch(headers);
  return batch ? [batch] : [];
}

/** Runs the projections once, as a start does: they make and drop tables and write the trails. */
async function carryOut({ events, projections, snapshots, lead, config }: Stores): Promise<void> {
  await lead.take();
  const projector = new Projector(events, projections, createLogger(config.logLevel), snapshots);
  await projector.start();
  await projector.stop();
  console.log('events and tables say the same: start the server');
}
