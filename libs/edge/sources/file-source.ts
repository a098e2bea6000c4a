import { existsSync, statSync } from 'node:fs';
import { SourceError } from './source-error.js';
import type { SourceCredentials } from './source-credentials.js';
import { quoteText } from '@app/warehouse';
import { withoutSecrets } from '../describe/without-secrets.js';
import type { DescribedTable } from '../table-description.js';
import type { EngineFormat } from './engine-format.js';
import { storeCall } from './object-stores.js';
import { isGlob, withinFolder, type Place } from './place.js';
import { stampOf } from './source-stamp.js';
import { optionalText, structureOf, tableFunction, type Settings, type Source } from './source.js';

/**
 * A server that does not answer must not delay a query, or the registration of a table, for
 * minutes.
 */
const HTTP: Settings = {
  http_max_tries: '2',
  http_connection_timeout: '5',
  http_receive_timeout: '30',
  // A file that is not there, of several, would be left out.
  http_skip_not_found_url_for_globs: '0',
};

/** The engine would answer no rows where no object is there any more. */
const OBJECTS: Settings = {
  s3_throw_on_zero_files_match: '1',
  azure_throw_on_zero_files_match: '1',
};

/** Files of a format at a place. @throws {Error} when there is nothing */
export function fileSource(
  { headers, columns: told }: Pick<DescribedTable, 'headers' | 'columns'>,
  place: Place,
  format: EngineFormat,
  credentials: SourceCredentials,
): Source {
  const { settings, inference, inferred } = format;
  const read = { settings, inference, inferred };
  switch (place.kind) {
    case 'local': {
      const path = localPath(place.path, format);
      const call = (columns: Parameters<Source['call']>[0]): string =>
        tableFunction('file', [
          quoteText(path),
          format.name,
          optionalText(columns && structureOf(columns)),
        ]);
      const stamp = () => stampOf(place.path, format.endings);
      // A format whose reader reads no byte.
      const files = tableFunction('file', [quoteText(path), 'One']);
      const lines = tableFunction('file', [quoteText(path), 'LineAsString', quoteText('line String')]); // prettier-ignore
      const records = tableFunction('file', [quoteText(path), 'JSONAsString', quoteText('json String')]); // prettier-ignore
      return {
        ...read,
        call,
        many: isGlob(path),
        shown: place.path,
        stamp,
        path,
        files,
        lines,
        records,
      };
    }
    case 'http': {
      const sent = Object.entries(headers ?? {}).map(
        ([name, value]) => `${quoteText(name)} = ${quoteText(value)}`,
      );
      const call = (columns: Parameters<Source['call']>[0]): string =>
        tableFunction('url', [
          quoteText(place.url),
          format.name,
          optionalText(columns && structureOf(columns)),
          ...(sent.length > 0 ? [`headers(${sent.join(', ')})`] : []),
        ]);
      return {
        ...read,
        settings: { ...settings, ...HTTP },
        call,
        many: isGlob(place.url),
        shown: withoutSecrets(place.url),
      };
    }
    case 'stdin':
      throw new SourceError('standard input can be read once, at the start');
    default: {
      const key =
        place.key === '' || place.key.endsWith('/') ? withinPrefix(place.key, format) : place.key;
      const at = { ...place, key };
      const call = (columns: Parameters<Source['call']>[0]): string =>
        storeCall('files', at, credentials, format.name, columns && structureOf(columns));
      return {
        ...read,
        // Files of declared columns may come later.
        settings: { ...settings, ...(!told && OBJECTS) },
        call,
        many: isGlob(key),
        shown: `${place.kind}://${place.bucket}/${place.key}`,
      };
    }
  }
}

/** A folder stands for its files. */
function localPath(path: string, { endings }: EngineFormat): string {
  if (existsSync(path)) return statSync(path).isDirectory() ? withinFolder(path, endings) : path;
  if (isGlob(path)) return path;
  throw new SourceError('there is no such file or folder');
}

/** In an object store, `**` matches slashes, too. */
function withinPrefix(prefix: string, { endings }: EngineFormat): string {
  return `${prefix}**.{${endings.join(',')}}`;
}
