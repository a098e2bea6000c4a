import { z } from 'zod';
import { BackUpPipeline, ClusterBackup } from '@app/backup';
import {
  openOperatorSocket,
  OperatorError,
  programVersion,
  type Logger,
  type OperatorSocket,
  type OperatorTask,
} from '@app/platform';
import { isOneProcess } from './engine-backup-folder.js';
import type { Components } from '../components/open-components.js';

const backupWish = z.object({ name: z.string().optional(), base: z.string().optional() });

/**
 * Answers what an operator asks of this process while it runs. The answer is undefined if the
 * process has no way to be asked.
 */
export async function serveOperators(
  components: Components,
  logger: Logger,
): Promise<OperatorSocket | undefined> {
  const { dataDirectory } = components.config;
  try {
    return await openOperatorSocket(dataDirectory, {
      backup: await backupTask(components, logger),
    });
  } catch (error) {
    logger.warn(
      { err: error, dataDirectory },
      'no socket can be made in the data directory: `millrace backup` will not reach this process',
    );
    return undefined;
  }
}

async function backupTask(components: Components, logger: Logger): Promise<OperatorTask> {
  const { config, warehouse, held, copiedEvents, events } = components;
  if (config.clickHouse && config.eventStore && config.kafka) return clusterTask(components);
  if (!held || !copiedEvents || !isOneProcess(config))
    return () =>
      Promise.reject(
        new OperatorError(
          'this server keeps some of tables, events and batches on other servers, and some in its data directory: there is no backup of such a mixture, see docs/operations.md, "Backup and restore"',
        ),
      );
  const running = {
    dataDirectory: config.dataDirectory,
    version: programVersion(),
    tables: warehouse,
    queue: held,
    events: copiedEvents,
    lastPosition: () => events.lastPosition(),
  };
  const pipeline = await BackUpPipeline.open(running, config.backupDirectory, logger);
  return async (wish, working) => ({
    folder: await pipeline.backUp(backupWish.parse(wish), working),
  });
}

function clusterTask({ config, warehouse, queue, events }: Components): OperatorTask {
  const { clickHouseBackups } = config;
  if (clickHouseBackups === undefined)
    return () =>
      Promise.reject(
        new OperatorError(
          "set CLICKHOUSE_BACKUPS of this server to where ClickHouse's BACKUP writes to, such as Disk('backups', '{name}')",
        ),
      );
  const lastPosition = (): Promise<bigint | undefined> => events.lastPosition();
  const backup = new ClusterBackup({ tables: warehouse, queue, lastPosition }, clickHouseBackups);
  return (wish, working) => backup.backUp(backupWish.parse(wish), working);
}
