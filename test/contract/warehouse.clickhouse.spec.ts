import { join } from 'node:path';
import { CLICKHOUSE, openClickHouseUnderTest } from './clickhouse-under-test.js';
import { warehouseContract } from './warehouse.contract.js';

warehouseContract(CLICKHOUSE, async () => {
  const under = await openClickHouseUnderTest();
  return { ...under, batchFile: (name) => join(under.directory, name) };
});
