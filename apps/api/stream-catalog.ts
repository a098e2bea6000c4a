import type { RequestOrganization } from '@app/platform';
import { Catalog, type TableDescription } from '@app/query';
import type { StreamsProjection } from '@app/streams';
import { REJECTED_COLUMNS, REJECTED_TABLE, TIMESTAMP } from '@app/warehouse';

const REJECTED: TableDescription = {
  name: REJECTED_TABLE,
  columns: [TIMESTAMP, ...REJECTED_COLUMNS],
};

/** An organization's streams and its rejected records, as tables to query. */
export class StreamCatalog extends Catalog {
  constructor(private readonly streams: StreamsProjection) {
    super();
  }

  tables({ id }: RequestOrganization): readonly TableDescription[] {
    const streams = this.streams.list(id);
    return [
      ...streams.map(({ name, columns }) => ({ name, columns: [TIMESTAMP, ...columns] })),
      REJECTED,
    ];
  }

  table({ id }: RequestOrganization, name: string): TableDescription | undefined {
    if (name === REJECTED_TABLE) return REJECTED;
    const stream = this.streams.find(id, name);
    return stream && { name, columns: [TIMESTAMP, ...stream.columns] };
  }
}
