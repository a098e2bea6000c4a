import { WarehouseError, type AuditTables } from '@app/warehouse';
import { MemoryAuditTables } from '../../test/doubles/audit-tables/memory-audit-tables.js';
import { AuditPages } from './audit-pages.js';

describe('a page of a trail', () => {
  const pageOf = (tables: AuditTables): Promise<unknown> =>
    new AuditPages(tables, { settled: () => Promise.resolve() } as never).page('o_acme', {
      offset: 0,
      limit: 1,
    });
  class Failing extends MemoryAuditTables {
    constructor(private readonly code: number) {
      super();
    }
    override auditPage(): Promise<never> {
      return Promise.reject(
        new WarehouseError(this.code, 'ERROR', 'Unknown expression identifier hash'),
      );
    }
  }

  it('tells another failure as it is', async () => {
    await expect(pageOf(new Failing(241))).rejects.toMatchObject({ code: 241 });
  });

  it('names the table where a server has it without one of its columns', async () => {
    await expect(pageOf(new Failing(47))).rejects.toMatchObject({ kind: 'TABLE_UNREADABLE' });
  });
});
