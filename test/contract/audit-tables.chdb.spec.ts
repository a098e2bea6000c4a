import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openChdb } from '../../libs/warehouse/chdb/open-chdb.js';
import { auditTablesContract } from './audit-tables.contract.js';

auditTablesContract('chDB', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-audit-tables-'));
  const limits = {
    timeoutSeconds: 10,
    memoryBytes: 1 << 30,
    readRows: 1e9,
    readBytes: 1e12,
    resultRows: 1e6,
    resultBytes: 1 << 30,
  };
  const { warehouse } = openChdb({ directory, limits, readers: 2, acceptors: 1 });
  let count = 0;
  return Promise.resolve({
    tables: warehouse,
    database: () => `o_${(count += 1)}`,
    dispose: async () => {
      await warehouse.close();
      rmSync(directory, { recursive: true, force: true });
    },
  });
});
