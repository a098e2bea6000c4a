import type { Projector } from '@app/event-store';
import { seesStream, type RequestOrganization } from '@app/platform';
import { Catalog, type TableDescription } from '@app/query';
import {
  isText,
  listedColumns,
  pathFields,
  type StreamDescription,
  type StreamsProjection,
  writeGivenType,
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

/**
 * An organization's streams and rejected records as tables to query. Its managers see its audit
 * trail, too. Rejected records belong to all streams: a caller who may see only some streams gets
 * the rejected records of these.
 */
export class StreamCatalog extends Catalog {
  constructor(
    private readonly streams: StreamsProjection,
    private readonly statistics: StreamStatistics,
    private readonly projector: Projector,
  ) {
    super();
  }

  tables(organization: RequestOrganization): readonly TableDescription[] {
    const own = [REJECTED_TABLE, AUDIT_TABLE].flatMap(
      (name) => this.table(organization, name) ?? [],
    );
    return [...this.streams.listFor(organization).map(describe), ...own];
  }

  table(organization: RequestOrganization, name: string): TableDescription | undefined {
    if (!seesStream(organization, name)) return undefined;
    if (name === REJECTED_TABLE) return REJECTED;
    if (name === AUDIT_TABLE) return organization.administered ? AUDIT : undefined;
    const stream = this.streams.find(organization.id, name);
    return stream && describe(stream);
  }

  override async version(
    { database }: RequestOrganization,
    name: string,
  ): Promise<string | undefined> {
    if (name === AUDIT_TABLE) await this.projector.settled(database);
    return this.statistics.version({ database, table: name });
  }

  /** Entries of the audit trail appear a moment after the answers that they are about. */
  override async settled(
    { administered, database }: RequestOrganization,
    statement: string,
  ): Promise<void> {
    if (administered && statement.includes(AUDIT_TABLE)) await this.projector.settled(database);
  }
}

/** Looked into by full-text search where a stream's settings name no columns: OpenObserve's list. */
const FULL_TEXT_DEFAULTS = ['log', 'message', 'msg', 'content', 'data', 'events', 'json'];

function describe({ name, settings, ...schema }: StreamDescription): TableDescription {
  const keys = settings.fullTextSearchKeys;
  const searched = keys.length > 0 ? keys : FULL_TEXT_DEFAULTS;
  const columns = listedColumns(schema);
  const within = pathFields(schema.objects);
  const text = [...columns, ...within].filter(
    (column) => searched.includes(column.name) && isText(column.type),
  );
  return {
    name,
    columns: [TIMESTAMP, ...columns],
    within,
    given: givenTypes(schema.given),
    fullTextColumns: text.map((column) => column.name),
    arrivalColumns: POSITION_COLUMNS,
  };
}

/** A cache of the types by the list of columns, which is a new list after each change. */
const known = new WeakMap<StreamDescription['given'], ReadonlyMap<string, string>>();

function givenTypes(given: StreamDescription['given']): ReadonlyMap<string, string> {
  const types =
    known.get(given) ??
    new Map(given.flatMap(({ name, type }) => (type ? [[name, writeGivenType(type)]] : [])));
  known.set(given, types);
  return types;
}
