import { rm } from 'node:fs/promises';
import { certain } from '@app/platform';
import { quoteIdentifier, quoteText, type Column } from '@app/warehouse';
import { SourceError } from '../../sources/source-error.js';
import { fileChecks, type CheckFiles } from '../check/checked-files.js';
import type { SourceStamp } from '../../sources/source-stamp.js';
import { settingsClause, type Source } from '../../sources/source.js';
import type { DescribedTable } from '../../table-description.js';
import { dropCopy, makeCopy, type Copy, type RowsInPlace } from './copies.js';
import { countSelect } from './count-view.js';
import { columnsWithBytes } from '../schemas/columns-with-bytes.js';
import { columnValue, type ComputedColumn } from '../columns/computed-column.js';
import { readTypes } from '../../casts/exact-cast.js';
import { refuseNumbered } from '../columns/delta-mapping.js';
import { insistingOnOne, keepTypes } from '../columns/kept-types.js';
import { loosened } from '../csv/loose-quotes.js';
import { computedColumns } from '../columns/computed-columns.js';
import { describeColumns } from './describe-columns.js';
import { declared, inferColumns } from './infer-columns.js';
import { loadFailure } from './load-failure.js';
import { nullStructs, type NullStructs } from './null-structs.js';
import { openSource, type OpenedSource, type Workshop } from './open-source.js';
import { orWithoutBlankLines } from '../csv/read-blank-lines.js';
import { canBeReadOtherwise, readOtherwise } from './read-otherwise.js';
import { schemaOfFiles } from './schema-of-files.js';

/** A table that can be served. */
export interface PreparedTable {
  readonly described: DescribedTable;
  readonly columns: readonly Column[];
  /** The statement of its view. A copy of its own needs none. */
  readonly select: string;
  /**
   * The statement that returns its number of rows. Undefined means that nothing does so better than
   * `select`.
   */
  readonly count: string | undefined;
  /** A path, glob or URL, without secrets; not for clients. */
  readonly place: string;
  /** Undefined means that it is read in place. */
  readonly copy: Copy | undefined;
  /** Further copies that its view reads. */
  readonly asides: readonly Copy[];
  /** The time when its columns, or its copy, were read; milliseconds since 1970. */
  readonly readAt: number;
  /**
   * Tells whether the copied files have changed, and their stamp if so. It is undefined for a table
   * that is not watched.
   */
  readonly changedFiles: (() => Promise<string | undefined>) | undefined;
  /**
   * Reads the stamps of the files that are read in place; undefined: these stamps are not reliable.
   */
  readonly files: (() => Promise<SourceStamp | undefined>) | undefined;
  /**
   * The rows that are copied into memory when the table, which is read in place, is asked again;
   * undefined: it stays in place.
   */
  readonly rows: RowsInPlace | undefined;
  /** Must be called before its files are read; undefined: the engine reads all of them exactly. */
  readonly check: CheckFiles | undefined;
}

/**
 * Finds out what a table is and whether it can be read, and copies it if the description says so.
 * @throws {MillraceError} INVALID_PARAMETER that names table, place and reason
 */
export async function prepareTable(
  described: DescribedTable,
  workshop: Workshop,
): Promise<PreparedTable> {
  try {
    const source = await openSource(described, workshop);
    try {
      const { statements } = workshop.engine;
      const read = (opened: OpenedSource): Promise<PreparedTable> =>
        readOtherwise(opened, statements, (each) => prepared(described, each, workshop));
      return await orWithoutBlankLines(described, source, workshop, read);
    } finally {
      if (source.unpacked !== undefined) await rm(source.unpacked, { force: true });
    }
  } catch (error) {
    throw loadFailure(described, error);
  }
}

async function prepared(
  described: DescribedTable,
  opened: OpenedSource,
  workshop: Workshop,
): Promise<PreparedTable> {
  const { statements } = workshop.engine;
  const { schemaFromFiles } = described;
  const readAt = Date.now();
  // The stamp is taken before anything is read, so that a write during the reading counts as a
  // change.
  const stamp = await opened.stamp?.();
  const check = fileChecks(described, opened, workshop);
  const seen = await check?.();
  for (const [file, short] of seen?.short ?? [])
    workshop.toldOfShort(described.name, { ...short, file });
  const source = {
    ...opened,
    ...(seen?.haveLooseQuotes && loosened(opened)),
    ...(seen && { typeless: seen.typeless }),
  };
  const hasTypes = OWN_TYPES.has(described.options.format);
  const isOfSeveral = source.many && hasTypes;
  // The types are looked at before the view gets its own, so that a file that comes in between is
  // noticed.
  const describe = async (): Promise<readonly Column[]> => {
    // Only files of Arrow have columns without a type, which a file that came later may tell.
    const now = OF_ARROW.has(described.options.format) ? await check?.() : undefined;
    const as = { ...source, ...(now && { typeless: now.typeless }) };
    return describeColumns(as, source.inference, statements);
  };
  const told = described.columns && declared(described.columns);
  const kept = hasTypes ? await keepTypes(source, describe, told) : undefined;
  const folders = new Set<string>();
  const inferred = schemaFromFiles
    ? await schemaOfFiles({ ...described, schemaFromFiles }, workshop)
    : await inferColumns(described, source, { statements, seen, folders });
  await refuseNumbered(source, statements);
  const isTold = schemaFromFiles !== undefined || described.columns !== undefined;
  const { found, computed } = await computedColumns(
    {
      columns: inferred,
      isDeclared: described.columns !== undefined,
      folders,
      seen,
      mayLack: isOfSeveral && !isTold,
    },
    source,
    statements,
  );
  const marked = await columnsWithBytes(found, described, seen?.bytes, source, statements);
  const hasBytes = marked.some(({ type }, at) => type !== found[at]?.type);
  // Other sources have types of their own, so that their values are cast.
  const asked = hasTypes ? marked : found;
  const read = await asRead({ ...described, found: asked }, source, { statements, computed });
  const isTimed = found.some(({ type }) => type.includes('Time64('));
  const areBytes = [...computed.values()].some(({ readAs }) => readAs.includes('FixedString'));
  // A lake reads the types that it has itself, and no others but those of moments.
  const held =
    source.deltaLog && !areBytes
      ? !isTold && found.some(({ type }) => type.includes("DateTime64(6, 'UTC')"))
      : source.inferred ||
        isTold ||
        isOfSeveral ||
        (hasTypes && hasBytes) ||
        computed.size > 0 ||
        (seen?.typeless.length ?? 0) > 0 ||
        (source.footers !== undefined && isTimed);
  const call = source.call(held ? read : undefined);
  const structs = await nullStructs(described, read, source, workshop);
  const { asides, settings = source.settings } = structs;
  try {
    const columns = served(described, marked).map((column) => nullable(usual(column), structs));
    const rows = `SELECT ${columns.map((column) => expression(column, read, { ...structs, computed })).join(', ')} FROM ${call}`;
    const select = rows + settingsClause(settings);
    const table = { described, columns, place: source.shown, readAt };
    const isAsked = described.materialize === true || source.unpacked !== undefined;
    const isHeld = !isAsked && workshop.holding.take(described, stamp);
    const changedFiles = stamp && (() => changed(stamp, source));
    if (isAsked || isHeld) {
      const bytes = isHeld ? certain(stamp, 'stamp of files that are held').bytes : 0;
      const copied = await makeCopy(
        { select: rows, settings, bytes: stamp?.bytes },
        workshop,
      ).catch((error: unknown) => {
        workshop.holding.giveBack(bytes);
        if (isAsked || canBeReadOtherwise(error)) throw error;
        workshop.told(described.name, error);
      });
      if (copied !== undefined) {
        await dropAll(asides, workshop);
        return {
          ...table,
          // Types that must be allowed for the source must also be allowed for its copy.
          select: `SELECT * FROM ${copied.table}${settingsClause(settings)}`,
          count: undefined,
          copy: { ...copied, bytes },
          asides: [],
          changedFiles: described.materialize === undefined ? changedFiles : undefined,
          files: undefined,
          rows: undefined,
          check: undefined,
        };
      }
    }
    // Reading one row shows whether the bytes are valid, before anybody relies on the table.
    await statements.run(`SELECT * FROM ${source.oneRow ?? `(${select})`} LIMIT 1 FORMAT Null`);
    const count =
      described.options.format === 'parquet' ? countSelect(call, source.settings) : undefined;
    // Results about files, such as the places of columns, hold only while the files do not change.
    const isFollowed = asides.length > 0 || source.names !== undefined;
    // A user who asks to read the files each time may have reasons.
    const files = described.materialize === undefined ? source.stamp : undefined;
    const footers = isTold ? undefined : source.footers;
    const isChanged = () => Promise.resolve(kept?.haveChanged() ? changedFiles?.() : undefined);
    return {
      ...table,
      ...{ select, count, asides, copy: undefined },
      check: insistingOnOne({ ...source, mayBeEmpty: told !== undefined }, statements, check, kept),
      changedFiles: isFollowed ? changedFiles : kept && changedFiles && isChanged,
      files,
      rows: hasTypes && files ? { select: rows, settings, footers } : undefined,
    };
  } catch (error) {
    await dropAll(asides, workshop);
    throw error;
  }
}

const OF_ARROW: ReadonlySet<string> = new Set(['arrow', 'arrows']);
/** Formats whose files have types of their own. */
const OWN_TYPES: ReadonlySet<string> = new Set(['parquet', ...OF_ARROW]);

/** The columns by the types that they are read by, before they are cast to those that are served. */
async function asRead(
  { columns: asked, found, options }: DescribedTable & { readonly found: readonly Column[] },
  source: Source,
  {
    statements,
    computed,
  }: {
    readonly statements: Workshop['engine']['statements'];
    readonly computed: ReadonlyMap<string, ComputedColumn>;
  },
): Promise<readonly Column[]> {
  const read = found.map(({ name, type }) => ({ name, type: computed.get(name)?.readAs ?? type }));
  if (!asked || !OWN_TYPES.has(options.format)) return read;
  // Files may come later; those that are there may be damaged, which is told when they are read.
  const there = await describeColumns(source, source.inference, statements).catch(() => []);
  return readTypes(read, there);
}

/** Drops tables of the engine. */
async function dropAll(tables: readonly Copy[], workshop: Workshop): Promise<void> {
  for (const copy of tables) await dropCopy(copy, workshop).catch(() => undefined);
}

/** @returns the new stamps of its files, if they have changed */
async function changed(stamp: SourceStamp, source: Source): Promise<string | undefined> {
  const now = await source.stamp?.();
  return now === undefined || now.text === stamp.text ? undefined : now.text;
}

/**
 * Columns in the order of their answers: the chosen ones, and those of the folders' names with
 * their declared types.
 */
function served(
  { options, partitionColumns = [] }: DescribedTable,
  found: readonly Column[],
): readonly Column[] {
  const partitions = declared(partitionColumns);
  const own = found.filter(({ name }) => !partitions.some((each) => each.name === name));
  const projection = options.format === 'csv' ? options.projection : undefined;
  const chosen = projection?.map((index) => {
    const column = own[index];
    if (!column)
      throw new SourceError(`projection: there is no column ${index}; there are ${own.length}`);
    return column;
  });
  return [...(chosen ?? own), ...partitions];
}

/**
 * Tables hold no dictionary of numbers, days or truths, as a file of Arrow may have it, and nobody
 * else knows the engine's names of zones that are an offset.
 */
function usual({ name, type }: Column): Column {
  const plain = type
    .replace(/\bLowCardinality\((?!(?:Nullable\()?(?:Fixed)?String\b)((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/g, '$1')
    .replace(/'Fixed\/UTC[^']*'/g, "'UTC'"); // prettier-ignore
  return { name, type: plain };
}

function nullable({ name, type }: Column, { rows }: NullStructs): Column {
  return { name, type: rows.has(name) ? `Nullable(${type})` : type };
}

function expression(
  column: Column,
  read: readonly Column[],
  { rows, computed }: NullStructs & { readonly computed: ReadonlyMap<string, ComputedColumn> },
): string {
  const { name, type } = column;
  const quoted = quoteIdentifier(name);
  const own = computed.get(name);
  const areNull = rows.get(name);
  if (areNull !== undefined)
    return `CAST(if(${areNull}, NULL, ${own?.value ?? quoted}), ${quoteText(type)}) AS ${quoted}`;
  const value = columnValue(column, read.find((each) => each.name === name)?.type, own);
  return value === quoted ? quoted : `${value} AS ${quoted}`;
}
