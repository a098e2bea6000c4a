import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWarehouse, type PersonKeyTable } from '@app/warehouse';
import { CLICKHOUSE, openClickHouseUnderTest } from './clickhouse-under-test.js';

interface Opened {
  readonly table: PersonKeyTable;
  dispose(): Promise<void>;
}

const places: readonly (readonly [string, () => Promise<Opened>])[] = [
  [
    'chdb',
    async () => {
      const directory = mkdtempSync(join(tmpdir(), 'millrace-keys-'));
      const limits = { timeoutSeconds: 10, memoryBytes: 1e9, readRows: 1e9, readBytes: 1e9, resultRows: 1e3, resultBytes: 1e6 }; // prettier-ignore
      const { warehouse } = await openWarehouse({ clickHouse: undefined, directory, limits, readers: 1, acceptors: 1, files: [] }); // prettier-ignore
      return {
        table: warehouse,
        dispose: async () => {
          await warehouse.close();
          rmSync(directory, { recursive: true, force: true });
        },
      };
    },
  ],
  [
    CLICKHOUSE,
    async () => {
      const { warehouse, dispose } = await openClickHouseUnderTest();
      return { table: warehouse, dispose };
    },
  ],
];

describe.each(places)('the table of people’s keys: %s', (_name, open) => {
  let opened: Opened;
  let table: PersonKeyTable;
  let ann: string;
  let ben: string;
  beforeAll(async () => {
    opened = await open();
    ({ table } = opened);
  });
  afterAll(() => opened.dispose());
  beforeEach(async () => {
    [ann, ben] = [randomUUID(), randomUUID()];
    await table.addWrappedKey({ personId: ann, wrapped: 'v1.one' });
    await table.addWrappedKey({ personId: ann, wrapped: "v1.'two\\" });
    await table.addWrappedKey({ personId: ben, wrapped: 'v1.three' });
  });
  const ofAll = async () => {
    const all = await table.wrappedKeys();
    return all.filter(({ personId }) => personId === ann || personId === ben);
  };

  it('has each key, of one and of all', async () => {
    expect(await table.wrappedKeys(ann)).toEqual([
      { personId: ann, wrapped: "v1.'two\\" },
      { personId: ann, wrapped: 'v1.one' },
    ]);
    expect(await ofAll()).toHaveLength(3);
    expect(await table.wrappedKeys('nobody')).toEqual([]);
  });

  it('forgets a person, and nobody else', async () => {
    await table.dropWrappedKeys(ann);
    await table.dropWrappedKeys(ann);
    expect(await ofAll()).toEqual([{ personId: ben, wrapped: 'v1.three' }]);
  });

  it('forgets all keys of a person but those that stay', async () => {
    await table.dropWrappedKeys(ann, ['v1.one']);
    await table.dropWrappedKeys(ann, ['v1.one']);
    expect(await table.wrappedKeys(ann)).toEqual([{ personId: ann, wrapped: 'v1.one' }]);
    expect(await ofAll()).toHaveLength(2);
    await table.addWrappedKey({ personId: ann, wrapped: 'v1.two' });
    await table.addWrappedKey({ personId: ann, wrapped: 'v1.zero' });
    await table.dropWrappedKeys(ann, ['v1.zero', 'v1.one']);
    const left = await table.wrappedKeys(ann);
    expect(left.map(({ wrapped }) => wrapped)).toEqual(['v1.one', 'v1.zero']);
  });
});
