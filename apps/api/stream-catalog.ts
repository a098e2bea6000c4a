import type { RequestOrganization } from '@app/platform';
import { Catalog, type TableDescription } from '@app/query';
import {
  isText,
  listedColumns,
  type StreamDescription,
  type StreamsProjection,
} from '@app/streams';
import {
  AUDIT_COLUMNS,
  AUDIT_TABLE,
  POSITION_COLUMNS,
  REJECTED_COLUMNS,
  REJECTED_TABLE,
  type StreamStatistics,
  TIMESTAMP,
} from '@app/warehouse';

const REJECTED: TableDescription = {
  name: REJECTED_TABLE,
  columns: [TIMESTAMP, ...REJECTED_COLUMNS],
};

const AUDIT: TableDescription = { name: AUDIT_TABLE, columns: AUDIT_COLUMNS };

/** An organization's streams and rejected records, and for who manages it its audit trail, as tables to query. */
export class StreamCatalog extends Catalog {
  constructor(
    private readonly streams: StreamsProjection,
    private readonly statistics: StreamStatistics,
  ) {
    super();
  }

  tables({ id, administered }: RequestOrganization): readonly TableDescription[] {
    const streams = this.streams.list(id);
    return [...streams.map(describe), REJECTED, ...(administered ? [AUDIT] : [])];
  }

  table({ id, administered }: RequestOrganization, name: string): TableDescription | undefined {
    if (name === REJECTED_TABLE) return REJECTED;
    if (name === AUDIT_TABLE) return administered ? AUDIT : undefined;
    const stream = this.streams.find(id, name);
    return stream && describe(stream);
  }

  override version({ database }: RequestOrganization, name: string): Promise<string | undefined> {
    return this.statistics.version({ database, table: name });
  }
}

/** Looked into by full-text search where a stream's settings name no columns: OpenObserve's list. */
const FULL_TEXT_DEFAULTS = ['log', 'message', 'msg', 'content', 'data', 'events', 'json'];

function describe({ name, settings, ...schema }: StreamDescription): TableDescription {
  const keys = settings.fullTextSearchKeys;
  const searched = keys.length > 0 ? keys : FULL_TEXT_DEFAULTS;
  const columns = listedColumns(schema);
  const text = columns.filter((column) => searched.includes(column.name) && isText(column.type));
  return {
    name,
    columns: [TIMESTAMP, ...columns],
    fullTextColumns: text.map((column) => column.name),
    arrivalColumns: POSITION_COLUMNS,
  };
}
