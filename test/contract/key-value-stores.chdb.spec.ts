import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KeyValueStores, TableRegistry } from '@app/edge';
import { createLogger } from '@app/platform';
import { MemoryAllowance } from '../../libs/edge/memory-allowance.js';
import { until } from '../server/until.js';
import { sourcesUnderTest } from './sources-under-test.js';

describe('a store of keys and values', () => {
  const sources = sourcesUnderTest();
  const log = createLogger('silent');
  beforeAll(() => new TableRegistry(sources.workshop, log).open([]));

  const write = (rows: Readonly<Record<string, string>>): void =>
    writeFileSync(
      join(sources.folder, 's.ndjson'),
      Object.entries(rows)
        .map(([k, v]) => JSON.stringify({ k, v }))
        .join('\n'),
    );
  const described = {
    name: 's',
    key: 'k',
    value: 'v',
    table: { name: 's', uri: 's.ndjson', options: { format: 'ndjson' as const } },
  };
  const copies = async (): Promise<number> =>
    Number(
      await sources.engine.reader.text({
        sql: "SELECT count() FROM system.tables WHERE engine = 'MergeTree'",
        format: 'text',
      }),
    );
  /** @param bytes that may be held in the process */
  const opened = async (
    bytes: number,
  ): Promise<[KeyValueStores, (key: string) => Promise<string>]> => {
    const stores = new KeyValueStores(sources.workshop, log, new MemoryAllowance(bytes));
    await stores.open([described], 0.05);
    const { signal } = new AbortController();
    return [stores, async (key) => stores.value('s', key, () => signal)];
  };

  it.each([
    ['in the process', 10_000, 0],
    ['in the engine, where there is no room', 10, 1],
  ])('answers the same %s', async (_where, bytes, tables) => {
    write({ a: 'one', 'b\t\n': 'two\n\\' });
    const [stores, value] = await opened(bytes);
    try {
      expect(await copies()).toBe(tables);
      expect(await value('a')).toBe('one');
      expect(await value('b\t\n')).toBe('two\n\\');
      await expect(value('c')).rejects.toThrow('store s has no key "c"');
      write({ c: 'three' });
      await until(async () => (await value('c').catch(() => '')) === 'three');
      await expect(value('a')).rejects.toThrow('store s has no key "a"');
    } finally {
      stores.close();
    }
  });

  it('moves into the engine when it outgrows the process, and back', async () => {
    write({ a: 'one' });
    const [stores, value] = await opened(1000);
    const before = await copies();
    try {
      write({ a: 'x'.repeat(1000) });
      await until(async () => (await value('a')) !== 'one');
      expect(await copies()).toBe(before + 1);
      write({ a: 'two' });
      await until(async () => (await value('a')) === 'two');
      await until(async () => (await copies()) === before);
    } finally {
      stores.close();
    }
  });
});
