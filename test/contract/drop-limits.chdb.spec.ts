import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openChdb } from '../../libs/warehouse/chdb/open-chdb.js';

// The double of a ClickHouse server drops nothing above a byte unless the statement says so: there the contract tells.
it('drops tables and rejected records of any size', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-drop-limits-'));
  const limits = {
    timeoutSeconds: 10,
    memoryBytes: 1e9,
    readRows: 1e9,
    readBytes: 1e12,
    resultRows: 1e3,
    resultBytes: 1e6,
  };
  const { warehouse } = openChdb({ directory, limits, readers: 1, acceptors: 1 });
  try {
    expect(
      await warehouse.text({
        sql: "SELECT name, value FROM system.server_settings WHERE name IN ('max_table_size_to_drop', 'max_partition_size_to_drop') ORDER BY name",
        format: 'text',
      }),
    ).toBe('max_partition_size_to_drop\t0\nmax_table_size_to_drop\t0\n');
  } finally {
    await warehouse.close();
    rmSync(directory, { recursive: true, force: true });
  }
});
