import { createReadStream } from 'node:fs';
import { basename, extname } from 'node:path';
import { BrokenFileError } from '@app/parquet';
import type { SourceEngine } from '@app/warehouse';
import { COMPRESSED } from '../../sources/engine-format.js';
import { listedPaths } from '../../sources/listed-paths.js';
import { SourceError } from '../../sources/source-error.js';
import type { CsvShape, Settings, Source } from '../../sources/source.js';
import { csvRecords } from './csv-records.js';
import { FirstTexts } from './first-texts.js';

/** If there are more files, the fault is told without its place. */
const FILES_MAX = 200;
/** The engine's words for a record that has fewer fields than there are columns. */
const SHORT =
  /Line feed found where delimiter|less columns than expected|expected '.{1,2}' at end of stream/;
/** Its words for records that have more or fewer fields than others; some values are told so, too. */
const UNEVEN =
  /Rows have different amount of values|number of column names \d+ differs with the number of types|Expected end of line/;

/** Tells whether the engine failed at a record that has fewer fields than others. */
export const isShort = (failure: unknown): boolean => SHORT.test(String(failure));

/** Records of CSV have fewer fields than the first one, and none has more, as far as was looked. */
class ShortRecordsError extends SourceError {}

/** Records with fewer fields than the first one of their file. */
export interface ShortRecords {
  readonly count: number;
  /** The line of the first of them. */
  readonly line: number;
}

/**
 * Finds the record for which the engine could not find out the columns of a source of CSV, or read
 * them, because it does not say where it is. Blank lines at the end of a file are none.
 * @returns `even` where there is no such record; undefined where it is another fault, or a file is
 *   not on this machine
 */
export async function unevenRecord(
  failure: unknown,
  { csv, files, header, many }: Pick<Source, 'csv' | 'files' | 'header' | 'many'>,
  statements: SourceEngine['statements'],
): Promise<SourceError | 'even' | undefined> {
  if (
    csv === undefined ||
    files === undefined ||
    !(isShort(failure) || UNEVEN.test(String(failure)))
  )
    return undefined;
  let short: string | undefined;
  let padded: string | undefined;
  for (const path of await listedPaths(files, statements, FILES_MAX)) {
    if (COMPRESSED.includes(extname(path).slice(1))) short ??= 'a packed file has short lines';
    else {
      const { fault, records, lost } = await unevenIn(path, { csv, header });
      const told = ({ line, what }: Fault): string => `line ${line} of ${basename(path)} ${what}`;
      if (fault !== undefined) return new SourceError(told(fault));
      if (lost) padded ??= told(lost);
      if (records) short ??= `line ${records.line} of ${basename(path)} has fewer fields than its first one`; // prettier-ignore
    }
  }
  if (short === undefined) return 'even';
  if (padded !== undefined) return new SourceError(padded);
  // Without names nothing tells how many fields a record of the next file should have.
  return many && !header ? new SourceError(`${short}: each must have as many`) : new ShortRecordsError(short); // prettier-ignore
}

/**
 * Looks at each record of a file that may have short ones: the engine would pass over what it does
 * not expect in them.
 * @throws {BrokenFileError} where one has too many fields, or is blank
 */
export async function shortRecords(
  file: string,
  source: Written,
): Promise<ShortRecords | undefined> {
  const { fault: first, lost, records } = await unevenIn(file, source);
  const fault = first ?? lost;
  if (fault !== undefined) throw new BrokenFileError(`line ${fault.line} ${fault.what}`);
  return records;
}

interface Fault {
  readonly line: number;
  readonly what: string;
}

interface Uneven {
  readonly fault?: Fault;
  /** A text whose blanks are dropped where the records of any file may be short. */
  readonly lost?: Fault;
  readonly records?: ShortRecords;
}

interface Written {
  readonly csv: CsvShape;
  readonly header: Source['header'] | undefined;
}

async function unevenIn(path: string, { csv, header }: Written): Promise<Uneven> {
  let read = 0;
  let first: { readonly line: number; readonly count: number } | undefined;
  let blankAt: number | undefined;
  let records: ShortRecords | undefined;
  const firstTexts = new FirstTexts(csv.areTold);
  for await (const { line, fields } of csvRecords(createReadStream(path), csv.delimiter)) {
    read += 1;
    if (read <= csv.skipped) continue;
    const count = fields.length;
    first ??= { line, count };
    if (first.count > 1 && count === 1 && fields[0]?.text === '' && !fields[0].isQuoted) {
      blankAt ??= line;
      continue;
    }
    if (blankAt !== undefined) {
      const what = 'is blank: take it out, or put as many delimiters there as in other lines';
      return { fault: { line: blankAt, what } };
    }
    if (fields.some(({ isTorn }) => isTorn)) {
      const what = 'has a value in quotes, and no delimiter follows it: delimiter= says which one the file has'; // prettier-ignore
      return { fault: { line, what } };
    }
    if (count > first.count) {
      const what = `has ${fieldsOf(count)}, and line ${first.line} has ${fieldsOf(first.count)}, parted by ${JSON.stringify(csv.delimiter)}: none may have more; delimiter= says what parts them`;
      return { fault: { line, what } };
    }
    if (count < first.count)
      records = { line: records?.line ?? line, count: (records?.count ?? 0) + 1 };
    if (first.line !== line || !header) firstTexts.take(fields[0], line);
  }
  const padded = [' ', '\t'].includes(csv.delimiter) ? undefined : firstTexts.paddedText;
  if (!padded) return records ? { records } : {};
  const short = records ? `line ${records.line} has` : 'lines of another file have';
  const what = `begins with ${JSON.stringify(padded.text)}, whose blanks would be dropped because ${short} fewer fields than others: put it into quotes, take the blanks out, or put as many delimiters into each line`;
  return { ...(records && { records }), lost: { line: padded.line, what } };
}

const fieldsOf = (count: number): string => (count === 1 ? '1 field' : `${count} fields`);

/** The source with null for what short records lack. */
function withShortRecords<Given extends Source>(source: Given): Given {
  const may: Settings = { input_format_csv_allow_variable_number_of_columns: '1' };
  const { csv, header, byNames, settings } = source;
  return {
    ...source,
    settings: { ...settings, ...may },
    ...(csv && { csv: { ...csv, mayBeShort: true } }),
    ...(header && { header: { ...header, settings: { ...header.settings, ...may } } }),
    ...(byNames && { byNames: withShortRecords(byNames) }),
  };
}

/**
 * Reads a source as it is, and with null for what short records lack if that fails because of them:
 * the engine refuses them unless it is told that they may be.
 */
export async function orWithShortRecords<Given extends Source, Result>(
  source: Given,
  statements: SourceEngine['statements'],
  read: (source: Given) => Promise<Result>,
): Promise<Result> {
  try {
    return await read(source);
  } catch (error) {
    const isTold = error instanceof ShortRecordsError;
    const uneven = isTold ? error : await unevenRecord(error, source, statements);
    if (uneven instanceof ShortRecordsError) return read(withShortRecords(source));
    throw uneven instanceof SourceError ? uneven : error;
  }
}
