import { MemoryAuditTables } from '../doubles/audit-tables/memory-audit-tables.js';
import { auditTablesContract } from './audit-tables.contract.js';

auditTablesContract('in memory', () => {
  let count = 0;
  return Promise.resolve({
    tables: new MemoryAuditTables(),
    database: () => `o_${(count += 1)}`,
    changesLast: false,
    dispose: () => Promise.resolve(),
  });
});
