import { resolve } from 'node:path';
import type { DescribedTable } from '../table-description.js';

/**
 * Makes paths absolute, so that the table is the same wherever the program is started.
 * @param base absolute folder that its paths start from
 */
export function withAbsolutePaths(table: DescribedTable, base: string): DescribedTable {
  const { uri, schemaFromFiles } = table;
  return {
    ...table,
    uri: absolute(uri, base),
    ...(schemaFromFiles && {
      schemaFromFiles: schemaFromFiles.map((each) => absolute(each, base)),
    }),
  };
}

function absolute(uri: string, base: string): string {
  if (uri === 'stdin') return uri;
  const [, relative] = /^(?:sqlite|file|filesystem):(?:\/\/)?([^/].*)$/is.exec(uri) ?? [];
  if (relative !== undefined) return resolve(base, relative);
  return /^[a-z][a-z0-9+.-]+:/i.test(uri) ? uri : resolve(base, uri);
}
