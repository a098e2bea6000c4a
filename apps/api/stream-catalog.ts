import type { RequestOrganization } from '@app/platform';
import { Catalog, type TableDescription } from '@app/query';
import type { StreamsProjection } from '@app/streams';
import {
  AUDIT_COLUMNS,
  AUDIT_TABLE,
  REJECTED_COLUMNS,
  REJECTED_TABLE,
  TIMESTAMP,
} from '@app/warehouse';

const REJECTED: TableDescription = {
  name: REJECTED_TABLE,
  columns: [TIMESTAMP, ...REJECTED_COLUMNS],
};

const AUDIT: TableDescription = { name: AUDIT_TABLE, columns: AUDIT_COLUMNS };

/** An organization's streams and rejected records, and for who manages it its audit trail, as tables to query. */
export class StreamCatalog extends Catalog {
  constructor(private readonly streams: StreamsProjection) {
    super();
  }

  tables({ id, administered }: RequestOrganization): readonly TableDescription[] {
    const streams = this.streams.list(id);
    return [
      ...streams.map(({ name, columns }) => ({ name, columns: [TIMESTAMP, ...columns] })),
      REJECTED,
      ...(administered ? [AUDIT] : []),
    ];
  }

  table({ id, administered }: RequestOrganization, name: string): TableDescription | undefined {
    if (name === REJECTED_TABLE) return REJECTED;
    if (name === AUDIT_TABLE) return administered ? AUDIT : undefined;
    const stream = this.streams.find(id, name);
    return stream && { name, columns: [TIMESTAMP, ...stream.columns] };
  }
}
