import { createReadStream } from 'node:fs';
import { basename, extname } from 'node:path';
import type { SourceEngine } from '@app/warehouse';
import { COMPRESSED } from '../../sources/engine-format.js';
import { listedPaths } from '../../sources/listed-paths.js';
import { SourceError } from '../../sources/source-error.js';
import type { CsvShape, Source } from '../../sources/source.js';
import { csvRecords } from './csv-records.js';

/** If there are more files, the fault is told without its place. */
const FILES_MAX = 200;
/** The engine's words for records that have more or fewer fields than others. */
const UNEVEN =
  /Rows have different amount of values|number of column names \d+ differs with the number of types|Expected end of line/;

/**
 * Finds the record for which the engine could not find out the columns of a source of CSV, because
 * it does not say where it is. Blank lines at the end of a file are none.
 * @returns `even` where there is no such record; undefined where it is another fault, or a file is
 *   packed or not on this machine
 */
export async function unevenRecord(
  failure: unknown,
  { csv, files }: Pick<Source, 'csv' | 'files'>,
  statements: SourceEngine['statements'],
): Promise<SourceError | 'even' | undefined> {
  if (csv === undefined || files === undefined || !UNEVEN.test(String(failure))) return undefined;
  let isAll = true;
  for (const path of await listedPaths(files, statements, FILES_MAX)) {
    if (COMPRESSED.includes(extname(path).slice(1))) isAll = false;
    else {
      const reason = await unevenIn(path, csv);
      if (reason !== undefined) return new SourceError(reason);
    }
  }
  return isAll ? 'even' : undefined;
}

async function unevenIn(path: string, csv: CsvShape): Promise<string | undefined> {
  let records = 0;
  let first: { readonly line: number; readonly count: number } | undefined;
  let blankAt: number | undefined;
  for await (const { line, fields } of csvRecords(createReadStream(path), csv.delimiter)) {
    records += 1;
    if (records <= csv.skipped) continue;
    const count = fields.length;
    first ??= { line, count };
    if (first.count > 1 && count === 1 && fields[0]?.text === '' && !fields[0].isQuoted) {
      blankAt ??= line;
      continue;
    }
    if (blankAt !== undefined)
      return `line ${blankAt} of ${basename(path)} is blank: take it out, or put as many delimiters there as in other lines`;
    if (count !== first.count)
      return `line ${line} of ${basename(path)} has ${fieldsOf(count)}, and line ${first.line} has ${fieldsOf(first.count)}, parted by ${JSON.stringify(csv.delimiter)}: each must have as many; delimiter= says what parts them`;
  }
  return undefined;
}

const fieldsOf = (count: number): string => (count === 1 ? '1 field' : `${count} fields`);
