import { join } from 'node:path';
import type { Field } from '@app/arrow';
import {
  footerOf,
  LONG_DECIMAL,
  LONG_DECIMAL_WORDS,
  NULL_ROWS,
  nullObjects,
  NullsAllowance,
  refuseWideDeltas,
  tellingColumns,
  type NullableObject,
} from '@app/parquet';
import { MillraceError } from '@app/platform';
import {
  NETWORK_ERROR,
  quoteIdentifier,
  quoteText,
  WarehouseError,
  type LocalEngine,
  type RowFile,
  type RowFiles,
} from '@app/warehouse';
import { isOutOfSpace } from '../records/out-of-space.js';
import { holdsText, structure } from './files/field-type.js';
import { givenKinds } from './files/given-kinds.js';
import { kindsWithin } from './sql/kinds-within.js';
import { columnOf, type StoredField } from './sql/judge-rows.sql.js';
import { refuseOtherTypes } from './refuse-other-types.js';
import {
  heldField,
  isTimeField,
  microsValue,
  storedKind,
  storedValue,
} from './sql/stored-value.sql.js';

/** A table that comes with a schema of its own. */
export interface TableSource {
  readonly fields: readonly Field[];
  /**
   * The files with its rows, one after the other. A file exists until the next one is asked for.
   */
  readonly files: AsyncIterable<DataFile> | Iterable<DataFile>;
}

/** A file of columns, and which of its rows and columns are the table's. */
export interface DataFile {
  /** Absolute path without characters that the engine reads as a pattern. */
  readonly file: string;
  /** The format, as the engine names it. */
  readonly format: 'Parquet' | 'Arrow' | 'ArrowStream';
  /** The name of the file in messages. */
  readonly name: string;
  /** Its own columns. */
  readonly held: readonly Field[];
  /** Rows of the table in it. */
  readonly rows: number;
  /** SQL of fields that have the same value in all of its rows, by the field's name. */
  readonly constants: ReadonlyMap<string, string>;
  /** SQL that is true for rows of the table, where not all are. */
  readonly where?: string | undefined;
  /** Structs and maps in the file that may be null. */
  readonly objects: readonly NullableObject[];
  /** Checks what can be said of the file only once it is read. @throws {MillraceError} */
  checkRead?(): Promise<void>;
}

/** Gives the fields as the stream gets them. */
export function storedFields(fields: readonly Field[]): StoredField[] {
  return fields.map(({ name, type }) => ({
    name,
    kind: isTimeField({ name, type }) ? 'Micros' : storedKind(type),
    foreignText: holdsText(type),
    within: [...kindsWithin(type), ...givenKinds(type)],
  }));
}

/**
 * Writes all rows of a table into files, its fields as {@link storedFields} has them.
 * @param target where the next rows go, whenever that is asked
 */
export async function* rowsOf(
  engine: LocalEngine,
  { fields, files }: TableSource,
  target: () => RowFiles,
): AsyncGenerator<RowFile> {
  const stored = storedFields(fields);
  for await (const file of files) {
    let rows = 0;
    try {
      await refuseMisread(file);
      const nulls = await nullsOf(file, fields, target().directory);
      const select = selectRows(file, fields, nulls);
      await refuseOtherTypes(engine, select, stored);
      for await (const added of engine.spool(select, target())) {
        rows += added.rows;
        yield added;
      }
    } catch (error) {
      throw explained(error, file.name);
    }
    if (rows !== file.rows)
      throw unreadable(file.name, `it should have ${file.rows} rows and has ${rows}`);
    await file.checkRead?.();
  }
}

/** SQL that is true in the rows of a file in which a struct or map is null, by its name there. */
type Nulls = ReadonlyMap<string, string>;

async function nullsOf(
  { file, name, held, constants, objects }: DataFile,
  fields: readonly Field[],
  directory: string,
): Promise<Nulls> {
  const nulls = new Map<string, string>();
  const wanted = fields.flatMap((declared) => {
    if (storedKind(declared.type) !== 'JSON' || constants.has(declared.name)) return [];
    const own = heldField(held, declared);
    return objects.find((each) => each.name === own?.name) ?? [];
  });
  if (wanted.length === 0) return nulls;
  return named(name, async () => {
    const telling = tellingColumns((await footerOf(file, name)).bytes, wanted);
    const allowance = new NullsAllowance();
    for (const [index, object] of wanted.entries()) {
      const target = join(directory, `nulls-${index}.bin`);
      const rows = await nullObjects(file, telling.get(object) ?? [], target, allowance);
      if (rows > 0) nulls.set(object.name, inRows(target));
    }
    return nulls;
  });
}

/** @throws {MillraceError} for a file whose values the engine would take for others */
async function refuseMisread({ file, format, name }: DataFile): Promise<void> {
  if (format !== 'Parquet') return;
  await named(name, async () => refuseWideDeltas(file, await footerOf(file, name)));
}

/** Names the file in what is said to be wrong with it. */
async function named<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const isOfFile = error instanceof Error && !(error instanceof MillraceError);
    // The system's own messages contain paths of our folders.
    if (!isOfFile || isOutOfSpace(error) || 'syscall' in error) throw error;
    throw unreadable(name, error.message, error);
  }
}

const inRows = (target: string): string =>
  `bitmapContains((SELECT groupBitmapState(at + arrayJoin(bitPositionsToArray(bits))) FROM file(${quoteText(target)}, ${NULL_ROWS.format}, ${quoteText(NULL_ROWS.structure)})), _row_number)`;

/** SQL that gives a data file's rows of the table. */
export function selectRows(
  { file, format, held, constants, where }: DataFile,
  fields: readonly Field[],
  nulls: Nulls,
): string {
  const read = new Set<Field>();
  const values = fields.map((declared, index) => {
    const constant = constants.get(declared.name);
    const own = constant === undefined ? heldField(held, declared) : undefined;
    if (own) read.add(own);
    return `${constant ?? valueOf(own, declared, nulls)} AS ${columnOf(index)}`;
  });
  // The engine counts rows by reading a column, so at least one column is read.
  const [first] = held;
  if (read.size === 0 && first) read.add(first);
  const rows = `file(${quoteText(file)}, ${format}, ${quoteText(structure([...read]))})`;
  return `SELECT ${values.join(', ')} FROM ${rows}${where === undefined ? '' : ` WHERE ${where}`}`;
}

function valueOf(own: Field | undefined, declared: Field, nulls: Nulls): string {
  const value = own ? quoteIdentifier(own.name) : '';
  if (!isTimeField(declared)) return storedValue(value, own, declared, nulls.get(own?.name ?? ''));
  const time = own && microsValue(value, own, declared);
  return time ?? "CAST(NULL, 'Nullable(Int64)')";
}

/** The engine's error number for a statement that needs more memory than it may have. */
const MEMORY_LIMIT_EXCEEDED = 241;
const REASON_LENGTH_MAX = 300;

function explained(error: unknown, name: string): unknown {
  if (!(error instanceof WarehouseError) || isOutOfSpace(error)) return error;
  // This failure says nothing about the file.
  if (error.code === NETWORK_ERROR) return error;
  if (error.code === MEMORY_LIMIT_EXCEEDED)
    return new MillraceError(
      'UPLOAD_TOO_LARGE',
      `${name}: a row group or a page of it needs more memory than there is for an upload; write it with smaller ones`,
      { cause: error },
    );
  const long = LONG_DECIMAL.exec(error.message);
  if (long) return unreadable(name, long[0].replace(LONG_DECIMAL, LONG_DECIMAL_WORDS), error);
  // The rest of the message contains paths of our folders.
  const [reason = ''] = error.message.split(/: \(in file|: While executing| FROM file\(|\n/, 1);
  return unreadable(name, reason.slice(0, REASON_LENGTH_MAX), error);
}

const unreadable = (name: string, reason: string, cause?: unknown): MillraceError =>
  new MillraceError('MALFORMED_BODY', `${name} cannot be read: ${reason}`, { cause });
