import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWarehouse } from '@app/warehouse';
import { warehouseContract } from './warehouse.contract.js';

warehouseContract('the engine’s process', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-warehouse-'));
  const limits = {
    timeoutSeconds: 10,
    memoryBytes: 1 << 30,
    readRows: 1e9,
    readBytes: 1e12,
    resultRows: 10_000_000,
    resultBytes: 1 << 30,
  };
  const { warehouse, localEngine } = await openWarehouse({
    clickHouse: undefined,
    directory,
    limits,
    readers: 4,
    acceptors: 2,
    files: [directory],
  });
  return {
    warehouse,
    localEngine,
    batchFile: (name: string) => join(directory, name),
    dispose: async () => {
      await warehouse.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
});
