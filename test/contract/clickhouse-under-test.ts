import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWarehouse, type OpenWarehouse } from '@app/warehouse';
import { ClickHouseDouble } from '../doubles/clickhouse/clickhouse-double.js';
import { CLUSTER } from '../doubles/clickhouse/one-node-cluster.js';

/** A real server when there is one; otherwise the double. */
const server = process.env.CLICKHOUSE_URL;
export const CLICKHOUSE = server === undefined ? 'ClickHouse (double)' : 'ClickHouse';

export interface ClickHouseUnderTest extends OpenWarehouse {
  /** The directory for files of the test. */
  readonly directory: string;
  readonly isDouble: boolean;
  dispose(): Promise<void>;
}

export function openClickHouseUnderTest(): Promise<ClickHouseUnderTest> {
  return open(server, process.env.CLICKHOUSE_CLUSTER);
}

/** A real cluster when there is one, which a server alone is not; otherwise the double as its only node. */
export function openClusterUnderTest(): Promise<ClickHouseUnderTest> {
  const cluster = process.env.CLICKHOUSE_CLUSTER;
  return open(cluster === undefined ? undefined : server, cluster ?? CLUSTER);
}

async function open(
  real: string | undefined,
  cluster: string | undefined,
): Promise<ClickHouseUnderTest> {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-clickhouse-'));
  const double =
    real === undefined ? await ClickHouseDouble.start(join(directory, 'server')) : undefined;
  const opened = await openWarehouse({
    clickHouse: { urls: real?.split(',') ?? [double?.url ?? ''], cluster },
    directory: join(directory, 'own'),
    limits: {
      timeoutSeconds: 10,
      memoryBytes: 1 << 30,
      readRows: 1e9,
      readBytes: 1e12,
      resultRows: 10_000_000,
      resultBytes: 1 << 30,
    },
    readers: 4,
    acceptors: 2,
    files: [directory],
  });
  const dispose = async (): Promise<void> => {
    await opened.warehouse.close();
    await double?.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  return { ...opened, directory, isDouble: double !== undefined, dispose };
}
