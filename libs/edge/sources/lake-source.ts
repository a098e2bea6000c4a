import { existsSync } from 'node:fs';
import { SourceError } from './source-error.js';
import type { SourceCredentials } from './source-credentials.js';
import { quoteText } from '@app/warehouse';
import { storeCall } from './object-stores.js';
import type { Place } from './place.js';
import { plainSource, structureOf, tableFunction, type Source } from './source.js';

const LOCAL = { delta: 'deltaLakeLocal', iceberg: 'icebergLocal' } as const;
const PARQUET = 'Parquet';
const FOOTERS = 'ParquetMetadata';
/** The folder that makes a folder a table. */
const MARK = { delta: '_delta_log', iceberg: 'metadata' } as const;

/**
 * A Delta Lake or Iceberg table: its own log says which files count.
 * @throws {Error} when the place holds no such table
 */
export function lakeSource(
  format: 'delta' | 'iceberg',
  place: Place,
  credentials: SourceCredentials,
): Source {
  if (place.kind === 'local') {
    if (!existsSync(`${place.path}/${MARK[format]}`))
      throw new SourceError(`it is no ${format} table: there is no folder ${MARK[format]} in it`);
    const { path } = place;
    const local = tableFunction(LOCAL[format], [quoteText(path)]);
    if (format === 'iceberg') return { ...plainSource(local, path), lakeFooters: 'here' };
    const texts = (...all: readonly string[]): readonly string[] => all.map(quoteText);
    return {
      ...plainSource(local, path),
      lakeFooters: 'here',
      call: (columns) =>
        columns === undefined
          ? local
          : tableFunction(LOCAL.delta, texts(path, PARQUET, structureOf(columns))),
      deltaLog: (names, kind, structure) =>
        tableFunction('file', texts(`${path}/${MARK.delta}/${names}`, kind, structure)),
    };
  }
  if (place.kind === 'http' || place.kind === 'stdin')
    throw new SourceError(
      `a ${format} table is a folder: it can be local, or in s3://, gs:// or az://`,
    );
  const at = { ...place, key: place.key.replace(/\/*$/, '/') };
  const plain = storeCall(format, at, credentials, undefined, undefined);
  const shown = `${place.kind}://${place.bucket}/${place.key}`;
  const data = { ...at, key: `${at.key}**.parquet` };
  const lakeFooters = storeCall('files', data, credentials, FOOTERS, undefined);
  if (format === 'iceberg') return { ...plainSource(plain, shown), lakeFooters };
  return {
    ...plainSource(plain, shown),
    lakeFooters,
    call: (columns) =>
      columns === undefined
        ? plain
        : storeCall('delta', at, credentials, PARQUET, structureOf(columns)),
    deltaLog: (names, kind, structure) => {
      const log = { ...at, key: `${at.key}${MARK.delta}/${names}` };
      return storeCall('files', log, credentials, kind, structure);
    },
  };
}
