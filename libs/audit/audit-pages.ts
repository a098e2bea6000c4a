import { Injectable } from '@nestjs/common';
import { Projector } from '@app/event-store';
import { AuditTables, type AuditFilter, type AuditRow } from '@app/warehouse';

/** An event stream of a stream. */
const STREAM = /^stream-/;

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
    const { rows, total } = await this.tables.auditPage(database, filter);
    const streams = new Set(rows.map(({ stream }) => stream).filter((each) => STREAM.test(each)));
    const names = await this.tables.namesOfStreams(database, [...streams]);
    return {
      rows: rows.map((row) => ({ ...row, streamName: names.get(row.stream) ?? '' })),
      total,
    };
  }
}
