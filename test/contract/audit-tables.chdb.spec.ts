import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditTablesContract } from './audit-tables.contract.js';
import { LIMITS } from './limits.js';
import { openWarehouse } from '@app/warehouse';

auditTablesContract('the engine’s process', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-audit-tables-'));
  const { warehouse } = await openWarehouse({
    clickHouse: undefined,
    directory,
    limits: LIMITS,
    readers: 2,
    acceptors: 1,
    files: [directory],
  });
  let count = 0;
  return {
    tables: warehouse,
    database: () => `o_${(count += 1)}`,
    changesLast: true,
    dispose: async () => {
      await warehouse.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
});
