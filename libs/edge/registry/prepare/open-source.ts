import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SourceError } from '../../sources/source-error.js';
import type { SourceCredentials } from '../../sources/source-credentials.js';
import { quoteIdentifier, quoteText, type SourceEngine } from '@app/warehouse';
import { withoutSecrets } from '../../describe/without-secrets.js';
import { databaseSource } from '../../sources/databases/database-source.js';
import {
  AS_READ,
  csvFormat,
  engineFormat,
  JSON_ARRAY_LINES,
  JSON_LINES,
  type EngineFormat,
} from '../../sources/engine-format.js';
import { fileSource } from '../../sources/file-source.js';
import { downloadSheet, sheetExport } from '../../sources/sheets/google-sheet.js';
import { lakeSource } from '../../sources/lake-source.js';
import { plainPath } from '../../sources/plain-path.js';
import { placeOf, type Place } from '../../sources/place.js';
import { readWorkbook, type SheetOptions } from '../../sources/sheets/read-workbook.js';
import { stampOf } from '../../sources/source-stamp.js';
import { tableFunction, type Source } from '../../sources/source.js';
import { unpackJson } from '../../sources/unpack-json.js';
import type { DescribedTable, TableOptions } from '../../table-description.js';
import type { Holding } from './holding.js';
import { refuseFarDepth } from '../check/far-json-depth.js';
import { shapeOf } from '../csv/csv-beginning.js';
import { namedByPlace } from '../csv/header-names.js';
import type { ShortRecords } from '../csv/uneven-records.js';

/** The dependencies that are needed to create tables. */
export interface Workshop {
  readonly engine: SourceEngine;
  readonly credentials: SourceCredentials;
  /** Relative paths start from this folder. */
  readonly base: string;
  /** An absolute path of the folder for temporary files. */
  readonly directory: string;
  readonly stdin: Readable;
  /** The memory for tables that are copied although the user did not ask for it. */
  readonly holding: Holding;
  /** Such a copy failed, so the table is read in place. */
  told(this: void, name: string, error: unknown): void;
  /** Says which table is held in memory now, or is not. */
  toldOfMemory(this: void, sentence: string): void;
  /** It cannot be found out where structs of a table are null. */
  toldOfNulls(this: void, name: string, error: unknown): void;
  /** Records of a file of CSV have fewer fields than its first one. */
  toldOfShort(this: void, name: string, short: ShortRecords & { readonly file: string }): void;
}

export interface OpenedSource extends Source {
  /**
   * Temporary files of the table, which are deleted after it has been copied; undefined: it is read
   * in place.
   */
  readonly unpacked: string | undefined;
}

const RAW: EngineFormat = {
  name: 'RawBLOB',
  settings: {},
  inference: {},
  inferred: false,
  endings: [],
};
type CsvOptions = Extract<TableOptions, { readonly format: 'csv' }>;

const SHEETS: readonly string[] = ['xls', 'xlsx', 'xlsb', 'ods'] satisfies SheetOptions['format'][];

/**
 * Finds the place of a table's rows. What the engine cannot read in place is converted to a file
 * first.
 * @throws {Error} with the reason
 */
export async function openSource(
  described: DescribedTable,
  workshop: Workshop,
): Promise<OpenedSource> {
  const { options, uri } = described;
  const { base, credentials } = workshop;
  const database = await databaseSource(described, base, workshop.engine.statements);
  if (database) return inPlace(database);
  const sheet = options.format === 'csv' ? sheetExport(uri) : undefined;
  if (sheet !== undefined) return fetchSheet(described, sheet, workshop);
  const place = await placed(uri, options.format, workshop);
  if (options.format === 'delta' || options.format === 'iceberg')
    return inPlace(lakeSource(options.format, place, credentials));
  if (isSheet(options)) return unpackWorkbook(place, options, workshop);
  if (options.format === 'json' && (options.pointer !== undefined || options.arrayEncoded))
    return unpackDocument(described, place, options, workshop);
  const format = engineFormat(options);
  if (!format) throw new SourceError(`nobody reads format ${options.format} here`);
  return inPlace(await sourceOfFiles(described, place, format, workshop));
}

/** Files of a format that the engine reads. @throws {Error} with the reason */
export async function sourceOfFiles(
  described: DescribedTable,
  place: Place,
  format: EngineFormat,
  workshop: Workshop,
): Promise<Source> {
  const { credentials } = workshop;
  const { options } = described;
  if (options.format === 'csv') return csvSource({ ...described, options }, place, workshop);
  const source = fileSource(described, place, format, credentials);
  const isFar = place.kind !== 'local' && described.columns === undefined;
  if (isFar && (options.format === 'json' || options.format === 'ndjson')) {
    const bytes = { ...format, name: 'RowBinary', settings: {} };
    const from = fileSource(described, place, bytes, credentials);
    return { ...source, texts: await refuseFarDepth(from, workshop) };
  }
  if (options.format === 'parquet') {
    const footers = { ...format, name: 'ParquetMetadata' };
    return {
      ...source,
      footers: fileSource(described, place, footers, credentials).call(undefined),
    };
  }
  return source;
}

async function csvSource(
  described: DescribedTable & { readonly options: CsvOptions },
  place: Place,
  workshop: Workshop,
): Promise<Source> {
  const { columns, options, schemaFromFiles } = described;
  const { hasHeader, delimiter } = options;
  const at = (format: EngineFormat): Source =>
    fileSource(described, place, format, workshop.credentials);
  const whole = at(csvFormat(hasHeader, { delimiter: ',', skipped: 0, isLoose: false }));
  const lines = at({ ...RAW, name: 'LineAsString' });
  const csv = await shapeOf({ hasHeader, delimiter }, { ...whole, lines }, workshop);
  const format = csvFormat(hasHeader, csv);
  const source = withNamesOfSeveral({
    ...at(format),
    csv: { ...csv, areTold: columns !== undefined },
  });
  if (!hasHeader) return source;
  const named = { ...source, header: at({ ...format, name: 'CSV' }) };
  const isTold = columns !== undefined || schemaFromFiles !== undefined;
  return namedByPlace(named, isTold, workshop);
}

/**
 * Names of several files that are not on this machine are found as they are written, with blanks
 * around them.
 */
const withNamesOfSeveral = (source: Source): Source =>
  source.many && source.files === undefined
    ? { ...source, inference: { ...source.inference, ...AS_READ } }
    : source;

/** The engine follows no redirection, which is Google's answer. */
async function fetchSheet(
  described: DescribedTable,
  address: string,
  workshop: Workshop,
): Promise<OpenedSource> {
  const { directory } = workshop;
  const format = engineFormat(described.options);
  if (!format) throw new SourceError(`nobody reads format ${described.options.format} here`);
  const file = join(directory, `${randomUUID()}.csv`);
  try {
    await downloadSheet(address, described.headers ?? {}, file);
    const place = { kind: 'local', path: file } as const;
    return {
      ...(await sourceOfFiles(described, place, format, workshop)),
      shown: withoutSecrets(described.uri),
      // Nobody changes the temporary file.
      stamp: () => Promise.resolve(undefined),
      unpacked: file,
    };
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

const inPlace = (source: Source): OpenedSource => ({ ...source, unpacked: undefined });

const isSheet = (options: TableOptions): options is SheetOptions => SHEETS.includes(options.format);

/** Standard input becomes a file, for it can be read once. */
async function placed(uri: string, format: string, workshop: Workshop): Promise<Place> {
  const place = placeOf(uri, workshop.base);
  if (place.kind === 'local')
    return { kind: 'local', path: await plainPath(place.path, workshop.directory) };
  if (place.kind !== 'stdin') return place;
  const path = join(workshop.directory, `stdin-${randomUUID()}.${format}`);
  await pipeline(workshop.stdin, createWriteStream(path));
  return { kind: 'local', path };
}

async function unpackWorkbook(
  place: Place,
  options: SheetOptions,
  { directory }: Workshop,
): Promise<OpenedSource> {
  if (place.kind !== 'local') throw new SourceError('a workbook is read from a local file');
  const file = join(directory, `${randomUUID()}.jsonl`);
  const columns = await readWorkbook(place.path, options, file);
  const structure = columns.map(({ name, type }) => `${quoteIdentifier(name)} ${type}`).join(', ');
  return {
    call: () =>
      tableFunction('file', [quoteText(file), 'JSONCompactEachRow', quoteText(structure)]),
    settings: {},
    inference: {},
    inferred: false,
    many: false,
    shown: place.path,
    stamp: () => stampOf(place.path, []),
    unpacked: file,
  };
}

async function unpackDocument(
  described: DescribedTable,
  place: Place,
  { arrayEncoded, pointer = '' }: Extract<TableOptions, { readonly format: 'json' }>,
  workshop: Workshop,
): Promise<OpenedSource> {
  if (arrayEncoded && !described.columns)
    throw new SourceError(
      'array_encoded needs the schema: rows that are arrays do not name their columns',
    );
  const document = fileSource(described, place, RAW, workshop.credentials);
  const file = join(workshop.directory, `${randomUUID()}.jsonl`);
  try {
    await workshop.engine.statements.run(unpackJson(document, pointer, file));
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
  const format = arrayEncoded ? JSON_ARRAY_LINES : JSON_LINES;
  const source = fileSource({}, { kind: 'local', path: file }, format, workshop.credentials);
  const { shown, stamp = () => Promise.resolve(undefined) } = document;
  return { ...source, shown, stamp, unpacked: file };
}
