import { join } from 'node:path';
import { openWarehouse } from '@app/warehouse';
import { ClickHouseDouble } from '../doubles/clickhouse/clickhouse-double.js';
import { rounds } from '../rounds.js';
import { guardContract } from './guard.contract.js';
import { openGuardedEngine } from './guarded-engine.js';

// Always the double: files beside the data are a part of it.
guardContract(
  'ClickHouse (double)',
  () =>
    openGuardedEngine(async (directory, limits) => {
      const double = await ClickHouseDouble.start(join(directory, 'engine', 'server'));
      const opened = await openWarehouse({
        clickHouse: { urls: [double.url], cluster: undefined },
        directory: join(directory, 'engine', 'own'),
        limits,
        readers: 4,
        acceptors: 1,
        files: [directory],
      });
      const close = async (): Promise<void> => {
        await opened.warehouse.close();
        await double.stop();
      };
      return { ...opened, close };
    }),
  rounds(5, 1),
);
