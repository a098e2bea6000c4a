import 'reflect-metadata';
import type { Config } from '@app/config';
import { NotSealedError } from '@app/identity';
import { createLogger, OperatorError, type Logger } from '@app/platform';
import { openStores } from '../components/open-components.js';
import { configOfServer } from '../terminal/config-of-server.js';

/**
 * Accepts the existing events as they are, and from now on refuses events without a MAC.
 * @throws {Error} when the stores cannot be opened, or a process of the release before still runs
 */
export async function sealEvents(): Promise<void> {
  const config = configOfServer();
  const logger = createLogger(config.logLevel);
  if (!(await areSealed(config, logger))) {
    await refuseBesideOthers(config, logger);
    const stores = await openStores(config, logger, { isAlone: true });
    await stores.close();
  }
  console.log('the events are sealed: start the processes of this release');
}

/** Where they are, processes of this release may run already. */
async function areSealed(config: Config, logger: Logger): Promise<boolean> {
  try {
    const stores = await openStores(config, logger, { isAlone: false });
    await stores.close();
    return true;
  } catch (error) {
    if (error instanceof NotSealedError) return false;
    throw error;
  }
}

/**
 * A process that nobody has stopped answers 200, and nothing of what it is told would count.
 * Without Kafka there is no such sign; the embedded engine keeps others from its data directory.
 */
async function refuseBesideOthers({ kafka }: Config, log: Logger): Promise<void> {
  if (kafka === undefined) return;
  const { runningMembers } = await import('@app/ingest-queue/kafka');
  const members = await runningMembers({ ...kafka, log }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`KAFKA_BROKERS: ${reason}`, { cause: error });
  });
  if (members.length === 0) return;
  const hosts = [...new Set(members.map(({ host }) => host))].join(', ');
  throw new OperatorError(
    `processes of this installation still run (Kafka has consumers of it from ${hosts}), and nothing was sealed: stop every one of them first, since what they are told from then on would count for nothing. One that was killed is counted for up to half a minute (docs/operations.md, "Upgrade")`,
  );
}
