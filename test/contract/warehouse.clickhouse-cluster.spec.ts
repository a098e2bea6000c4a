import { join } from 'node:path';
import { openClusterUnderTest } from './clickhouse-under-test.js';
import { warehouseContract } from './warehouse.contract.js';

warehouseContract('cluster of one ClickHouse node', async () => {
  const under = await openClusterUnderTest();
  return { ...under, batchFile: (name) => join(under.directory, name) };
});
