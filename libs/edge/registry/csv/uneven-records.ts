import { createReadStream } from 'node:fs';
import { basename, extname } from 'node:path';
import type { SourceEngine } from '@app/warehouse';
import { COMPRESSED } from '../../sources/engine-format.js';
import { listedPaths } from '../../sources/listed-paths.js';
import { SourceError } from '../../sources/source-error.js';
import type { Source } from '../../sources/source.js';
import { csvRecords } from './csv-records.js';

/** If there are more files, the fault is told without its place. */
const FILES_MAX = 200;
/** The engine's words for records that have more or fewer fields than others. */
const UNEVEN =
  /Rows have different amount of values|number of column names \d+ differs with the number of types|Expected end of line/;

/**
 * Finds the record for which the engine could not read a source of CSV, because it does not say
 * where it is.
 * @returns undefined where it is another fault, or none was found in a file on this machine
 */
export async function unevenRecord(
  failure: unknown,
  { csv, files }: Pick<Source, 'csv' | 'files'>,
  statements: SourceEngine['statements'],
): Promise<SourceError | undefined> {
  if (csv === undefined || files === undefined || !UNEVEN.test(String(failure))) return undefined;
  for (const path of await listedPaths(files, statements, FILES_MAX)) {
    if (COMPRESSED.includes(extname(path).slice(1))) continue;
    let records = 0;
    let first: { readonly line: number; readonly count: number } | undefined;
    for await (const { line, fields } of csvRecords(createReadStream(path), csv.delimiter)) {
      records += 1;
      if (records <= csv.skipped) continue;
      const count = fields.length;
      first ??= { line, count };
      if (count === first.count) continue;
      const isBlank = count === 1 && fields[0]?.text === '' && !fields[0].isQuoted;
      return new SourceError(
        isBlank
          ? `line ${line} of ${basename(path)} is blank: take it out, or put as many delimiters there as in other lines`
          : `line ${line} of ${basename(path)} has ${fieldsOf(count)}, and line ${first.line} has ${fieldsOf(first.count)}, parted by ${JSON.stringify(csv.delimiter)}: each must have as many; delimiter= says what parts them`,
      );
    }
  }
  return undefined;
}

const fieldsOf = (count: number): string => (count === 1 ? '1 field' : `${count} fields`);
