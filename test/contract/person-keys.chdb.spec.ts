import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPersonKeys } from '@app/key-store/embedded';
import { SharedPersonKeys } from '@app/key-store/key-table';
import { openWarehouse } from '@app/warehouse';
import { LIMITS } from './limits.js';
import { personKeysContract } from './person-keys.contract.js';

personKeysContract('files', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-person-keys-'));
  const remove = (): Promise<void> => {
    rmSync(directory, { recursive: true, force: true });
    return Promise.resolve();
  };
  return Promise.resolve({
    open: (serverKey) => Promise.resolve(new EmbeddedPersonKeys(directory, serverKey)),
    clear: remove,
    dispose: remove,
  });
});

personKeysContract('a table of the warehouse', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-person-keys-'));
  const { warehouse } = await openWarehouse({
    clickHouse: undefined,
    directory,
    limits: LIMITS,
    readers: 1,
    acceptors: 1,
    files: [directory],
  });
  return {
    open: (serverKey) => SharedPersonKeys.open(warehouse, serverKey),
    clear: async () => {
      for (const { personId } of await warehouse.wrappedKeys())
        await warehouse.dropWrappedKeys(personId);
    },
    dispose: async () => {
      await warehouse.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
});
