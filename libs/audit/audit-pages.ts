import { Injectable } from '@nestjs/common';
import { Projector } from '@app/event-store';
import { AUDIT_TABLE, AuditTables, TableAsideError, type AuditFilter, type AuditRow } from '@app/warehouse'; // prettier-ignore
import { isBroken } from './trail/last-position.js';

/** An event stream of a stream. */
const STREAM = /^stream-/;

/** A server loads tables whose columns are others; then no statement says which table is at fault. */
function tellBroken(error: unknown): never {
  throw isBroken(error) ? new TableAsideError(AUDIT_TABLE) : error;
}

export interface NamedAuditRow extends AuditRow {
  /** The name of the stream that the entry is about, if any. */
  readonly streamName: string;
}

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
  ): Promise<{ readonly rows: readonly NamedAuditRow[]; readonly total: number }> {
    await this.projector.settled(database);
    const { rows, total } = await this.tables.auditPage(database, filter).catch(tellBroken);
    const streams = new Set(rows.map(({ stream }) => stream).filter((each) => STREAM.test(each)));
    const names = await this.tables.namesOfStreams(database, [...streams]);
    return {
      rows: rows.map((row) => ({ ...row, streamName: names.get(row.stream) ?? '' })),
      total,
    };
  }
}
