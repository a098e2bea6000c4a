import { certain, MillraceError } from '@app/platform';
import {
  quoteIdentifier,
  quoteText,
  TIMESTAMP,
  WarehouseError,
  type Column,
  type LocalEngine,
} from '@app/warehouse';
import { beyondFloat, kindThatWidens } from '@app/streams';
import type { SchemaKeeper } from '../records/accept-records.js';
import { anyBeyondFloat, isBeyondFloat, notYetExact } from './sql/beyond-float.sql.js';
import {
  keptFrom,
  type AcceptedChunk,
  type AcceptOptions,
  type ColumnarFile,
  type RejectedRecords,
  type StreamSchema,
} from '../records/chunk.js';
import { COMPRESSION } from '../judge/chunk/compression.js';
import { isOutOfSpace } from '../records/out-of-space.js';
import { writeRejected } from './write-rejected.js';
import { judgedRows, type JudgedRows, type StoredField } from './sql/judge-rows.sql.js';
import type { RowChunk } from './spool-rows.js';

/** Rows of fewer bytes grow much by their times. */
const WIDE_ROW = 32;

/** The stream made ready for a table's fields, and why some of them cannot become columns. */
interface ReadyStream {
  readonly schema: StreamSchema;
  readonly refusedFields: ReadonlyMap<string, string>;
}

/** The stream that a table's rows go to. */
interface TargetStream {
  /**
   * Creates or changes the stream once, so that the fields fit as far as they can. Later calls
   * answer the stream as it is.
   */
  ready(): Promise<ReadyStream>;
  /**
   * Lets columns of integers keep that type, because they are about to get integers that no float
   * holds.
   */
  keepExact(columns: readonly Column[]): Promise<void>;
}

export function targetStream(keeper: SchemaKeeper, fields: readonly StoredField[]): TargetStream {
  const columns = fields.filter(({ name }) => name !== TIMESTAMP.name);
  const survey = new Map(
    columns.map(({ name, kind, within = [] }) => [
      name,
      new Map([kind, ...within].map((each) => [each, 1])),
    ]),
  );
  let evolved: Promise<ReadyStream> | undefined;
  return {
    ready: async () => {
      evolved ??= keeper.evolve(survey);
      const ready = await evolved;
      return { ...ready, schema: keeper.current() ?? ready.schema };
    },
    keepExact: async (exact) => {
      const kinds = exact.map(({ name, type }): [string, Map<string, number>] => [
        name,
        new Map([[beyondFloat(kindThatWidens(type) ?? type), 1]]),
      ]);
      await keeper.evolve(new Map(kinds));
    },
  };
}

/**
 * Turns rows of a table into a columnar batch of the stream's columns, and those that do not fit
 * into rejected records. A field's type decides. Each value is looked at only if the type leaves a
 * doubt.
 */
export async function acceptRows(
  engine: LocalEngine,
  target: TargetStream,
  fields: readonly StoredField[],
  chunk: RowChunk,
  options: AcceptOptions,
): Promise<AcceptedChunk> {
  const { schema, refusedFields } = await target.ready();
  const { columns, exact } = schema;
  const kept = keptFrom(schema, options);
  const { file: source, firstLine } = chunk;
  const judged = (nested: boolean): JudgedRows =>
    judgedRows({ source, firstLine, columns, fields, refusedFields, keptFrom: kept, nested });
  const held = columns.filter((column) => fields.some(({ name }) => name === column.name));
  const unsure = notYetExact(held, exact);
  // A column of the stream that the table does not have would be many bytes of nothing, and so
  // would the times of narrow rows.
  const isPlain = chunk.isPlain === true && held.length === columns.length && chunk.bytes >= WIDE_ROW * chunk.rows; // prettier-ignore
  const accepting = { engine, chunk, columns, unsure, options, isPlain };
  try {
    const rows = judged(false);
    const all = rows.reason === "''" ? '' : `NOT throwIf(${rows.reason} != '')`;
    const accepted = await store(accepting, rows, { where: all, count: chunk.rows });
    return { schema, accepted, rejected: undefined };
  } catch (error) {
    if (isOutOfSpace(error)) throw error;
  }
  const beyond = await withBeyondFloat(accepting, judged(false));
  if (beyond.length > 0) {
    await target.keepExact(beyond);
    return acceptRows(engine, target, fields, chunk, options);
  }
  // Something does not fit. It may be a map that has a key twice, which no object takes.
  const rows = judged(true);
  try {
    const refused = await countRefused(engine, rows);
    const good = chunk.rows - refused.count;
    return {
      schema,
      accepted:
        good > 0
          ? await store(accepting, rows, { where: `${rows.reason} = ''`, count: good })
          : undefined,
      rejected: refused.count > 0 ? await reject(accepting, rows, refused) : undefined,
    };
  } catch (error) {
    throw asBrokenFile(error);
  }
}

/** The engine's error number for a value that cannot become the type. */
const TYPE_MISMATCH = 53;

const asBrokenFile = (error: unknown): unknown =>
  error instanceof WarehouseError && error.code === TYPE_MISMATCH
    ? new MillraceError('MALFORMED_BODY', 'a column of the file is not of the type that the file says', { cause: error }) // prettier-ignore
    : error;

interface Accepting {
  readonly engine: LocalEngine;
  readonly chunk: RowChunk;
  readonly columns: readonly Column[];
  /** Columns of integers that are not known to hold an integer that no float holds. */
  readonly unsure: readonly Column[];
  readonly options: AcceptOptions;
  /** Tells whether the rows that fit are written without compression. */
  readonly isPlain: boolean;
}

/** Finds those of the unsure columns that would get such integers. */
async function withBeyondFloat(
  { engine, columns, unsure }: Accepting,
  { rows, values, reason }: JudgedRows,
): Promise<readonly Column[]> {
  if (unsure.length === 0) return [];
  const tests = unsure.map((column) => `max(${isBeyondFloat(column, certain(values[columns.indexOf(column)], `value of ${column.name}`))})`); // prettier-ignore
  const answer = await engine.run(`SELECT ${tests.join(', ')} FROM (${rows}) WHERE ${reason} = ''`);
  const found = answer.trim().split('\t');
  return unsure.filter((_, index) => found[index] === '1');
}

async function store(
  { engine, chunk, columns, unsure, options, isPlain }: Accepting,
  { rows, micros, values }: JudgedRows,
  { where, count }: { readonly where: string; readonly count: number },
): Promise<ColumnarFile> {
  const target = `${chunk.file}.accepted.native${isPlain ? '' : `.${COMPRESSION}`}`;
  const time = `fromUnixTimestamp64Micro(ifNull(${micros}, toInt64(${options.acceptedAt})), 'UTC') AS _timestamp`;
  const names = columns.map(({ name }) => name);
  // In a broken file the engine may find another type than the file says. That fails here, and not
  // when the batch is on the queue.
  const expressions = columns.map(
    ({ name, type }, index) =>
      `CAST(${certain(values[index], `value of ${name}`)}, ${quoteText(type)}) AS ${quoteIdentifier(name)}`,
  );
  const valueOf = (name: string): string =>
    certain(values[names.indexOf(name)], `value of ${name}`);
  const beyond = anyBeyondFloat(unsure, [], valueOf);
  const none = beyond === undefined ? '' : `NOT throwIf(${beyond}, 'an integer that no float has')`;
  const conditions = [where, none].filter((each) => each !== '').map((each) => `(${each})`);
  await engine.run(
    `INSERT INTO FUNCTION file(${quoteText(target)}, Native)` +
      ` SELECT ${[time, ...expressions].join(', ')} FROM (${rows})` +
      (conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`),
  );
  return { file: target, rows: count, columns: [TIMESTAMP.name, ...names] };
}

interface Refused {
  readonly count: number;
  readonly line: number;
  readonly reason: string;
}

async function countRefused(engine: LocalEngine, { rows, reason }: JudgedRows): Promise<Refused> {
  const answer = await engine.run(
    "SELECT toJSONString(tuple(countIf(reason != ''), minIf(number, reason != ''), argMinIf(reason, number, reason != '')))" +
      ` FROM (SELECT number, ${reason} AS reason FROM (${rows}))`,
  );
  const [count, line, first] = JSON.parse(answer) as [number, number, string];
  return { count: Number(count), line: Number(line), reason: first };
}

async function reject(
  { engine, chunk, options }: Accepting,
  { rows, reason, record }: JudgedRows,
  { count, line, reason: first }: Refused,
): Promise<RejectedRecords> {
  const rejected =
    `SELECT number, ${reason} AS reason, ${record} AS record FROM (${rows}) WHERE reason != ''` +
    ' SETTINGS output_format_json_quote_denormals = 1';
  const target = `${chunk.file}.rejected.native.${COMPRESSION}`;
  const file = await writeRejected(engine, target, { rejected, count }, options);
  return { ...file, structural: false, first: { line, reason: first } };
}
