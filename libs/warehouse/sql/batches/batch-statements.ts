import {
  POSITION_COLUMNS,
  qualified,
  REJECTED_TABLE,
  STREAM_COLUMN,
  TIMESTAMP,
} from '../../ddl/ddl.js';
import { quoteIdentifier, quoteText } from '../../ddl/identifier.js';
import { KEYS_APART } from '../../ddl/part-settings.js';
import { ONE_PART, type BatchInsert, type StoredBatch, type TableName } from '../../warehouse.js';
import type { SqlRunner } from '../sql-runner.js';
import { microsByMagnitude } from './micros-by-magnitude.js';
import { lineColumns } from './line-columns.js';
import { isNewest, type Claim } from './writer-epochs.js';

/**
 * One thread and blocks larger than any insert, so that an insert makes exactly one part and is
 * therefore atomic. Settings whose default changed recently, or that would hide rows, are fixed
 * here.
 */
export const ONE_PART_SETTINGS = {
  insert_allow_materialized_columns: 1,
  max_threads: 1,
  max_insert_threads: 1,
  min_insert_block_size_rows: 2 * ONE_PART.rows,
  min_insert_block_size_bytes: 4 * ONE_PART.bytes,
  max_insert_block_size: 1_048_576,
  async_insert: 0,
  insert_deduplicate: 0,
  // The limit is for every column of a wide table, for each of many files.
  max_ast_elements: 2_000_000,
} as const;

/**
 * The settings for reading lines that acceptance has judged. A value that does not fit its column
 * after all is refused, and never read as another value. Lines are read in their order, because
 * rows are numbered by it. A field without a column has no value to store.
 */
export const LINES_SETTINGS = {
  input_format_parallel_parsing: 0,
  input_format_skip_unknown_fields: 1,
  input_format_null_as_default: 1,
  input_format_column_name_matching_mode: 'match_case',
  input_format_import_nested_json: 0,
  input_format_allow_errors_num: 0,
  input_format_allow_errors_ratio: 0,
  // The engine's usual parser is faster, but changes one float in a hundred to its neighbour.
  precise_float_parsing: 1,
  input_format_json_read_numbers_as_strings: 0,
  input_format_json_read_bools_as_strings: 0,
  input_format_json_read_bools_as_numbers: 0,
  input_format_json_read_arrays_as_strings: 0,
  input_format_json_read_objects_as_strings: 0,
  input_format_json_infer_array_of_dynamic_from_array_of_different_types: 1,
  input_format_try_infer_dates: 0,
  input_format_try_infer_datetimes: 0,
  // Acceptance writes times in this form, and the engine's other parsers guess.
  date_time_input_format: 'basic',
  json_type_escape_dots_in_keys: 1,
  // Without this limit, objects with thousands of different keys would take a column's memory for
  // each key.
  max_dynamic_subcolumns_in_json_type_parsing: KEYS_APART,
} as const;

/**
 * The rows of batches, with their columns in the order of `columns`, then each row's position in
 * the order of {@link POSITION_COLUMNS}. No column of the position has a number as its name,
 * because a field may be called `0`.
 */
export function selectBatches({
  columns,
  types,
  batches,
}: Pick<BatchInsert, 'columns' | 'types' | 'batches'>): string {
  const lines = types && lineColumns(columns, types);
  const formatOf = (file: string): string =>
    lines ? `${linesFormat(file)}, ${quoteText(lines.structure)}` : 'Native';
  const byFile = new Map<string, StoredBatch[]>();
  for (const batch of batches) {
    const others = byFile.get(batch.file);
    if (others) others.push(batch);
    else byFile.set(batch.file, [batch]);
  }
  return [...byFile]
    .map(([file, [first, ...others]]) => {
      if (!first) return '';
      // Names stand only once for each file, because the engine limits the length of a statement.
      const rows = `SELECT *, rowNumberInAllBlocks() AS \`_row\` FROM file(${quoteText(file)}, ${formatOf(file)})${lines?.settings ?? ''}`;
      const of = others.length === 0 ? ofOne(first) : ofSeveral([first, ...others]);
      const time = types ? timeOf(first.times, of.acceptedAt) : TIME;
      const selected = columns.map((name) =>
        name === TIMESTAMP.name ? time : (lines?.valueOf ?? quoteIdentifier)(name),
      );
      return `SELECT ${selected.join(', ')}, ${first.position.partition} AS \`_partition\`, ${of.offset} AS \`_offset\`, ${of.row} FROM (${rows})`;
    })
    .join(' UNION ALL ');
}

/** Lines are objects, or arrays of the values of `columns`, as the file's name says. */
const linesFormat = (file: string): string =>
  file.includes('.compact.ndjson') ? 'JSONCompactEachRow' : 'JSONEachRow';

/** SQL: of a row of a file, by its number there, `_row`. */
interface RowPlace {
  readonly offset: string;
  /** The number of the row within its batch. */
  readonly row: string;
  readonly acceptedAt: string;
}

const ofOne = ({ position, acceptedAt = 0 }: StoredBatch): RowPlace => ({
  offset: String(position.offset),
  row: 'toUInt64(`_row`)',
  acceptedAt: `toInt64(${acceptedAt})`,
});

/** The batch of a row follows from the places where batches begin. */
function ofSeveral(batches: readonly StoredBatch[]): RowPlace {
  const starts: number[] = [];
  let end = 0;
  for (const { rows = 0 } of batches) {
    starts.push(end);
    end += rows;
  }
  const begin = `roundDown(\`_row\`, [${starts.join(', ')}])`;
  const each = (values: readonly (bigint | number)[], type: string): string =>
    `transform(${begin}, [${starts.join(', ')}], [${values.join(', ')}]::Array(${type}), to${type}(0))`;
  return {
    offset: each(
      batches.map(({ position }) => position.offset),
      'UInt64',
    ),
    // Rows without a batch are refused like wrong data: then each batch is inserted alone, and
    // correctly.
    row: `toUInt64(\`_row\` - ${begin} + toUInt64(if(\`_row\` < ${end}, '0', 'more rows than batches tell')))`,
    acceptedAt: each(
      batches.map(({ acceptedAt = 0 }) => acceptedAt),
      'Int64',
    ),
  };
}

const TIME = quoteIdentifier(TIMESTAMP.name);
function timeOf(times: StoredBatch['times'], acceptedAt: string): string {
  const told = times === 'by magnitude' ? microsByMagnitude(`nullIf(${TIME}, 0)`) : TIME;
  return `fromUnixTimestamp64Micro(ifNull(${told}, ${acceptedAt}), 'UTC') AS ${TIME}`;
}

/**
 * Inserts `rows`, which have the columns and positions of the batches, in that order. It inserts
 * nothing if the table now belongs to another stream, or if the writer's claim is not the newest.
 */
export function insertRows(
  { table, columns, streamId }: Pick<BatchInsert, 'table' | 'columns' | 'streamId'>,
  rows: string,
  claim?: Claim,
): string {
  const isRejected = table.table === REJECTED_TABLE;
  const into = isRejected ? [STREAM_COLUMN] : [];
  const selected = isRejected ? `*, ${quoteText(streamId)}` : '*';
  const conditions = [
    ...(claim ? [isNewest(claim)] : []),
    ...(isRejected ? [] : [belongsTo(table, streamId)]),
  ];
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  const select = `SELECT ${selected} FROM ${rows}${where}`;
  const target = [...columns, ...POSITION_COLUMNS, ...into].map(quoteIdentifier).join(', ');
  return `INSERT INTO ${qualified(table)} (${target}) ${select}`;
}

/**
 * SQL: whether the table still belongs to this stream. The engine looks up the table before it
 * evaluates this, so rows never go into a table that was created meanwhile under the same name.
 */
function belongsTo({ database, table }: TableName, streamId: string): string {
  return `(SELECT any(comment) FROM system.tables WHERE database = ${quoteText(database)} AND name = ${quoteText(table)}) = ${quoteText(streamId)}`;
}

/** The queue offsets of a partition, at or after `from`, that have rows in the table. */
export async function readStoredOffsets(
  runner: SqlRunner,
  table: TableName,
  partition: number,
  from: bigint,
): Promise<Set<bigint>> {
  const rows = await runner.rows<{ stored: string }>(
    `SELECT DISTINCT toString(_offset) AS stored FROM ${qualified(table)} WHERE _partition = ${partition} AND _offset >= ${from}`,
  );
  return new Set(rows.map((row) => BigInt(row.stored)));
}
