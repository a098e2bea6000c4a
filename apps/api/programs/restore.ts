import 'reflect-metadata';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ClusterBackup, restore } from '@app/backup';
import { makePrivately } from '@app/files';
import { createLogger, OperatorError } from '@app/platform';
import { readConfigOfCommand, type Config } from '@app/config';
import { openWarehouse, type Warehouse } from '@app/warehouse';
import { isOneProcess } from '../backups/engine-backup-folder.js';
import { backupInS3, bucketOfBackups } from '../backups/bucket-of-backups.js';
import { copyProgress } from '../backups/copy-progress.js';
import { tellOfEngine } from '../components/tell-of-engine.js';

async function withTables(
  config: Config,
  backups: string | undefined,
  work: (warehouse: Warehouse) => Promise<void>,
): Promise<void> {
  const logger = createLogger(config.logLevel);
  const { warehouse } = await openWarehouse({
    directory: join(config.dataDirectory, 'warehouse'),
    clickHouse: config.clickHouse,
    limits: config.query,
    readers: 1,
    acceptors: 1,
    files: [],
    memoryBytes: config.engineMemoryBytes,
    backups: backups === undefined ? undefined : { folder: backups, mayWrite: false },
    tell: (event) => tellOfEngine(event, logger),
  });
  try {
    await work(warehouse);
  } finally {
    await warehouse.close();
  }
}

interface Fetched {
  readonly folder: string;
  remove(): Promise<void>;
}

/** A backup as a folder of this machine. */
async function fetchBackup(config: Config, backup: string): Promise<Fetched> {
  const inS3 = backupInS3(backup);
  if (!inS3) return { folder: resolve(backup), remove: () => Promise.resolve() };
  const beside = `${config.dataDirectory}.fetched-`;
  const from = bucketOfBackups(config, inS3.place);
  await mkdir(dirname(beside), { recursive: true });
  const into = await mkdtemp(beside);
  const remove = (): Promise<void> => rm(into, { recursive: true, force: true });
  const { update, end } = copyProgress({ fetch: 'copying it from S3' });
  try {
    return { folder: await from.fetch(inS3.name, into, update), remove };
  } catch (error) {
    await remove();
    throw error;
  } finally {
    end();
  }
}

async function restoreCluster(config: Config, name: string): Promise<void> {
  const { clickHouseBackups } = config;
  if (clickHouseBackups === undefined)
    throw new OperatorError('set CLICKHOUSE_BACKUPS to where the backup is, with {name} in it');
  const { update, end } = copyProgress({ tables: 'restoring the tables' });
  try {
    await withTables(config, undefined, async (warehouse) => {
      const [first] = await warehouse.tables();
      if (first)
        throw new OperatorError(
          `CLICKHOUSE_URL: there are tables of an installation already (${first.database}.${first.table}); a backup is restored where there are none`,
        );
      await ClusterBackup.restore(warehouse, clickHouseBackups, name, update);
    });
  } finally {
    end();
  }
  console.log(
    `the tables are as they were in ${name}; start the cluster with a copy of the event store that is not older, a Kafka or KAFKA_NAMESPACE that is new, and nodes without the folder "snapshots" in their data directories, which knows newer tables`,
  );
}

/**
 * Makes the data directory, or the tables of a cluster, out of a backup.
 * @param backup its folder, its address in S3, or its name in a cluster
 * @throws {Error} when there is something already, or the backup is not whole
 */
export async function restoreBackup(backup: string): Promise<void> {
  const config = readConfigOfCommand();
  const { dataDirectory } = config;
  if (config.clickHouse) return restoreCluster(config, backup);
  if (!isOneProcess(config))
    throw new OperatorError(
      'a backup is restored into a data directory that has everything: unset CLICKHOUSE_URL, EVENTSTORE_URL and KAFKA_BROKERS',
    );
  makePrivately();
  const fetched = await fetchBackup(config, backup);
  try {
    const { begunAt, endedAt, lacks } = await restore({
      backup: fetched.folder,
      dataDirectory,
      withTables: (backups, work) => withTables(config, backups, work),
    });
    console.log(
      `${dataDirectory} is as the server was between ${begunAt} and ${endedAt}; start it with the secret key that it had`,
    );
    if (lacks.length > 0)
      console.error(
        `the backup has not got ${lacks.join(', ')}, which the engine could not load then: an earlier backup may have it; a start makes it again, a stream's table without rows`,
      );
  } finally {
    await fetched.remove();
  }
}
