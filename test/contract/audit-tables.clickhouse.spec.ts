import { randomUUID } from 'node:crypto';
import { auditTablesContract } from './audit-tables.contract.js';
import { CLICKHOUSE, openClickHouseUnderTest } from './clickhouse-under-test.js';

auditTablesContract(CLICKHOUSE, async () => {
  const { warehouse, dispose } = await openClickHouseUnderTest();
  const database = (): string => `o_${randomUUID()}`;
  return { tables: warehouse, database, changesLast: true, dispose };
});
