import 'reflect-metadata';
import { Projector } from '@app/event-store';
import { Passcodes } from '@app/identity';
import { createLogger, OperatorError, type Logger } from '@app/platform';
import { look, reconcile, type Look, type Mode } from '@app/reconcile';
import type { Batch } from '@app/writer';
import { AccountsDirectory } from '../components/accounts-directory.js';
import { auditKey } from '../components/audit-key.js';
import { openStores, type Stores } from '../components/open-components.js';
import { readWaiting } from '../components/read-waiting.js';
import { tellDifferences } from '../terminal/tell-differences.js';
import { configOfServer } from '../terminal/config-of-server.js';

/**
 * Compares the stores of the installation and tells what differs.
 * @param mode what to do about a difference; undefined: nothing is changed
 * @param organization undefined: all of them
 * @throws {Error} when the stores cannot be opened, or cannot be brought together
 */
export async function reconcileStores(
  mode: Mode | undefined,
  organization: string | undefined,
): Promise<void> {
  const config = configOfServer();
  const logger = createLogger(config.logLevel);
  const stores = await openStores(config, logger);
  try {
    await run(stores, logger, mode, organization);
  } finally {
    await stores.close();
  }
}

async function run(
  stores: Stores,
  logger: Logger,
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
    readWaiting: (each: (batch: Batch) => void) => readWaiting(stores.config, logger, each),
    directory: ({ users, organizations, streams }: Look['models']) =>
      new AccountsDirectory(users, organizations, people, notUnderstood, streams),
  };
  const found = await look(kept);
  if (organization !== undefined) refuseUnknown(found, organization);
  for (const line of tellDifferences(found)) console.log(line);
  const differs = found.isOpen || found.differences.length + found.accounts.length > 0;
  if (!differs || mode === undefined) {
    console.log(differs ? 'nothing was changed' : 'nothing differs');
    process.exitCode = differs || found.unread > 0 ? 1 : 0;
    return;
  }
  // This version does not understand the event, which may explain the contents of the tables.
  if (notUnderstood.count > 0)
    throw new OperatorError(
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
  await carryOut(stores, logger);
  // These batches go to the dead letters when the server runs. An operator looks at them there.
  if (found.unread > 0) process.exitCode = 1;
  if (left.accounts.length === 0) return;
  console.log('accounts whose keys are gone are left: restore those keys, or use --drop');
  process.exitCode = 1;
}

/** A name with a typing error must not look like an organization of which nothing differs. */
function refuseUnknown({ models, differences }: Look, wanted: string): void {
  const known = [...models.organizations.list(), ...differences];
  if (known.some(({ name, database }) => [name, database].includes(wanted))) return;
  throw new OperatorError(
    `there is no organization ${wanted}: neither events nor tables know one of that name or database`,
  );
}

/** Runs the projections once, as a start does: they make and drop tables and write the trails. */
async function carryOut(
  { events, projections, snapshots, lead }: Stores,
  logger: Logger,
): Promise<void> {
  await lead.take();
  const projector = new Projector(events, projections, logger, snapshots);
  await projector.start();
  await projector.stop();
  console.log('events and tables say the same: start the server');
}
