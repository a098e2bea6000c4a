import { join } from 'node:path';
import { CLUSTER } from '../doubles/clickhouse/one-node-cluster.js';
import { openClickHouseUnderTest } from './clickhouse-under-test.js';
import { warehouseContract } from './warehouse.contract.js';

warehouseContract('cluster of one ClickHouse node', async () => {
  const under = await openClickHouseUnderTest(process.env.CLICKHOUSE_CLUSTER ?? CLUSTER);
  return { ...under, batchFile: (name) => join(under.directory, name) };
});
