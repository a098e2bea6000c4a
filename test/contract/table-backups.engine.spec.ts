import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Warehouse } from '@app/warehouse';
import { openEngine, type EngineBackups } from '../../libs/warehouse/engine/index.js';
import { endless } from './limits.js';

const ORG = 'o_backups';

describe('backups of the embedded engine’s tables', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-backups-'));
  const making = join(directory, 'backups', 'making');
  const full = join(directory, 'backups', 'full');
  const later = join(directory, 'backups', 'later');
  const row = (position: string) => ({
    ...{ position, occurredAt: '2026-11-25T10:00:00.000Z', type: 'T', outcome: 'done' as const },
    ...{ actor: 'a', actorId: '1', subject: '', subjectId: '', address: '', userAgent: '' },
    ...{ requestId: '', stream: 's', data: '{}', previousHash: '', hash: position },
  });
  const open = async (name: string, backups?: EngineBackups): Promise<Warehouse> => {
    const { warehouse } = await openEngine({
      directory: join(directory, name),
      limits: endless(1),
      memoryBytes: 2 ** 30,
      readers: 1,
      backups,
      closeEngine: () => Promise.resolve(),
      tell: () => undefined,
    });
    return warehouse;
  };
  let warehouse: Warehouse;
  beforeAll(async () => {
    mkdirSync(making, { recursive: true });
    warehouse = await open('first', { folder: making, mayWrite: true });
  });
  afterAll(async () => {
    await warehouse.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('makes none where there is nothing', async () => {
    expect(await warehouse.backUpTables({ folder: join(making, 'tables') })).toBe(false);
  });

  it('is restored as it was, with tables, comments and retention; one with a base has the rest only', async () => {
    await warehouse.claimAudit();
    await warehouse.createAuditTable(ORG);
    await warehouse.createTable({ database: ORG, table: 'Logs' }, [], 'S1');
    await warehouse.setRetention({ database: ORG, table: 'Logs' }, 30);
    await warehouse.appendAudit(ORG, [row('1'), row('2')]);
    expect(await warehouse.backUpTables({ folder: join(making, 'tables') })).toBe(true);
    renameSync(join(making, 'tables'), full);

    await warehouse.appendAudit(ORG, [row('3')]);
    // The engine needs nothing of the base but its list.
    const base = join(making, 'base');
    cpSync(join(full, '.backup'), join(base, '.backup'));
    const to = { folder: join(making, 'tables') };
    expect(await warehouse.backUpTables(to, { base: { folder: base } })).toBe(true);
    renameSync(join(making, 'tables'), later);
    rmSync(base, { recursive: true });
    const parts = (of: string): string[] => readdirSync(join(of, 'data', ORG, '_audit'));
    expect([parts(full), parts(later)]).toEqual([['all_1_1_0'], ['all_2_2_0']]);

    const read = { folder: join(directory, 'backups'), mayWrite: false };
    const restored = await open('restored', read);
    try {
      await restored.restoreTables({ folder: later }, { base: { folder: full } });
      expect(await restored.tables()).toEqual(await warehouse.tables());
      expect(await restored.tables()).toMatchObject([{ streamId: 'S1', retentionDays: 30 }, {}]);
      expect(await restored.auditAfter(ORG, '0', 10)).toEqual(
        await warehouse.auditAfter(ORG, '0', 10),
      );
      expect((await restored.lastAudit(ORG))?.position).toBe('3');
    } finally {
      await restored.close();
    }
  });

  it('says why it cannot', async () => {
    const outside = { folder: join(directory, 'elsewhere') };
    await expect(warehouse.backUpTables(outside)).rejects.toThrow(/allowed/);
    await expect(warehouse.restoreTables({ folder: join(making, 'none') })).rejects.toThrow(
      /not found|not exist/i,
    );
  });

  it('is not begun when it is called off before', async () => {
    const signal = AbortSignal.abort();
    const to = { folder: join(making, 'off') };
    await expect(warehouse.backUpTables(to, { signal })).rejects.toThrow(/abort/i);
    // Nobody else is held up by it.
    expect(await warehouse.backUpTables({ folder: join(making, 'next') })).toBe(true);
  });
});
