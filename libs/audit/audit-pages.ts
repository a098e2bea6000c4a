import { Injectable } from '@nestjs/common';
import { Projector } from '@app/event-store';
import { AuditTables, type AuditFilter, type AuditRow } from '@app/warehouse';

/**
 * The trail as people read it. It has the entries of everything that was answered before they
 * asked.
 */
@Injectable()
export class AuditPages {
  constructor(
    private readonly tables: AuditTables,
    private readonly projector: Projector,
  ) {}

  /** Newest first. */
  async page(
    database: string,
    filter: AuditFilter,
  ): Promise<{ readonly rows: readonly AuditRow[]; readonly total: number }> {
    await this.projector.settled(database);
    return this.tables.auditPage(database, filter);
  }
}
