import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openChdb } from '../../libs/warehouse/chdb/open-chdb.js';
import { warehouseContract } from './warehouse.contract.js';

warehouseContract('chDB', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-warehouse-'));
  const limits = {
    timeoutSeconds: 10,
    memoryBytes: 1 << 30,
    readRows: 1e9,
    readBytes: 1e12,
    resultRows: 10_000_000,
    resultBytes: 1 << 30,
  };
  const { warehouse, localEngine } = openChdb({ directory, limits, readers: 4, acceptors: 2 });
  return Promise.resolve({
    warehouse,
    localEngine,
    batchFile: (name: string) => join(directory, name),
    dispose: async () => {
      await warehouse.close();
      rmSync(directory, { recursive: true, force: true });
    },
  });
});
