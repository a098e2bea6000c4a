import { Injectable } from '@nestjs/common';
import { StreamStatistics, TIMESTAMP, type TableStatistics } from '@app/warehouse';
import type { Verbatim } from '../aggregates/column-types.js';
import { arrowName, elementName } from '../aggregates/declared-type-names.js';
import type { GivenType } from '../aggregates/given/given-type.js';
import { pathFields } from '../aggregates/object-values.js';
import { listedColumns } from '../aggregates/stream-schema.js';
import { DamagedTables, type Damage } from '../damage/damaged-tables.js';
import type { StreamDescription } from '../projections/streams.projection.js';

/** The only type of streams. OpenObserve's clients name a type. */
export const STREAM_TYPE = 'logs';

/** Sizes of streams are given in megabytes, as OpenObserve does; no byte is lost by it. */
export const MEGABYTE = 1024 * 1024;

/**
 * A stream in OpenObserve's form. Times are in microseconds since the epoch, sizes in
 * {@link MEGABYTE}s.
 */
export interface StreamRecord {
  readonly name: string;
  readonly stream_type: typeof STREAM_TYPE;
  readonly storage_type: 'disk';
  readonly stats: {
    readonly doc_num: number;
    readonly doc_time_min: number;
    readonly doc_time_max: number;
    readonly storage_size: number;
    readonly compressed_size: number;
  };
  readonly schema?: readonly ListedColumn[];
  readonly settings: {
    readonly data_retention: number;
    readonly full_text_search_keys: readonly string[];
    readonly partition_keys: readonly string[];
    readonly order_by: readonly string[];
  };
  /** It is present only while rows of the stream are missing from its answers. */
  readonly damaged?: Damage;
}

interface ListedField {
  readonly name: string;
  readonly type: string;
  /** Lists only: the type of their elements, if all have one type. */
  readonly element?: string;
}

interface ListedColumn extends ListedField {
  /**
   * For text only: the kinds of values that are stored as they were written, if there are other
   * kinds than text.
   */
  readonly verbatim?: Verbatim;
  /** Objects only: the fields within them that have a type, by their names in statements. */
  readonly fields?: readonly ListedField[];
}

export const ORDER_BY: readonly string[] = [TIMESTAMP.name];

/** Describes streams with what the warehouse knows about their tables. */
@Injectable()
export class StreamRecords {
  constructor(
    private readonly statistics: StreamStatistics,
    private readonly damaged: DamagedTables,
  ) {}

  /** @param streams of one organization */
  async of(
    streams: readonly StreamDescription[],
    withSchema: boolean,
  ): Promise<readonly StreamRecord[]> {
    const database = streams[0]?.database;
    if (database === undefined) return [];
    const names = streams.map((stream) => stream.name);
    const statistics = await this.statistics.statistics(database, names);
    return streams.map((stream) => {
      const table = { database: stream.database, table: stream.name };
      const damaged = this.damaged.of(table, stream.id);
      const record = toRecord(stream, statistics.get(stream.name), withSchema);
      return damaged ? { ...record, damaged } : record;
    });
  }
}

function toRecord(
  { name, settings, ...described }: StreamDescription,
  statistics: TableStatistics | undefined,
  withSchema: boolean,
): StreamRecord {
  const verbatim = new Map(described.verbatim.map((column) => [column.name, column.of]));
  const given = new Map(described.given.map((column) => [column.name, column.type]));
  const within = new Map<string, ListedField[]>();
  for (const { column, name: field, type } of pathFields(described.objects)) {
    const fields = within.get(column) ?? [];
    fields.push(listedField(field, type));
    within.set(column, fields);
  }
  const schema = [TIMESTAMP, ...listedColumns(described)].map((column): ListedColumn => {
    const of = verbatim.get(column.name);
    const fields = within.get(column.name);
    return {
      ...withMaps(listedField(column.name, column.type), given.get(column.name)),
      ...(of ? { verbatim: of } : {}),
      ...(fields ? { fields } : {}),
    };
  });
  return {
    name,
    stream_type: STREAM_TYPE,
    storage_type: 'disk',
    stats: {
      doc_num: statistics?.rows ?? 0,
      doc_time_min: statistics?.timeMin ?? 0,
      doc_time_max: statistics?.timeMax ?? 0,
      storage_size: (statistics?.uncompressedBytes ?? 0) / MEGABYTE,
      compressed_size: (statistics?.compressedBytes ?? 0) / MEGABYTE,
    },
    ...(withSchema ? { schema } : {}),
    settings: {
      data_retention: settings.dataRetention,
      full_text_search_keys: settings.fullTextSearchKeys,
      partition_keys: settings.partitionKeys,
      order_by: ORDER_BY,
    },
  };
}

function listedField(name: string, type: string): ListedField {
  const element = elementName(type);
  return { name, type: arrowName(type), ...(element === undefined ? {} : { element }) };
}

/** The engine keeps a map as it keeps a struct; their source told them apart. */
function withMaps(field: ListedField, given: GivenType | undefined): ListedField {
  if (typeof given !== 'object') return field;
  if ('map' in given) return { ...field, type: 'Map' };
  const isOfMaps = 'list' in given && typeof given.list === 'object' && 'map' in given.list;
  return isOfMaps ? { ...field, element: 'Map' } : field;
}
