import { realpath } from 'node:fs/promises';
import { MillraceError } from '@app/platform';
import { ORGANIZATION_PLACE, type DeltaSources } from './delta-sources.settings.js';
import { LocalFolder, plainPath } from './local-folder.js';
import { S3Folder } from './s3-folder.js';
import type { TableBytesOptions } from './table-bytes.js';
import { brokenTable, type TableFolder } from './table-folder.js';

interface LocationOptions extends TableBytesOptions {
  /** Name of the organization that uploads. */
  readonly organization: string;
  /** The folder for files while they are read. */
  readonly directory: string;
}

/**
 * Opens the folder of a table that is on a location of the server's configuration.
 * @throws {MillraceError} FORBIDDEN when none allows it; INVALID_PARAMETER when it is no such URI.
 */
export async function openLocation(
  uri: string,
  sources: DeltaSources,
  options: LocationOptions,
): Promise<TableFolder> {
  const wanted = parse(uri);
  const allowed = sources.locations
    .map((location) => location.replaceAll(ORGANIZATION_PLACE, options.organization))
    .map(parse)
    .find((location) => within(wanted, location));
  if (!allowed)
    throw new MillraceError(
      'FORBIDDEN',
      'this server takes no Delta table from that place; its operator allows places in MILLRACE_DELTA_LOCATIONS',
    );
  if (wanted.scheme === 'file') return localFolder(wanted.path, allowed.path, options);
  const { s3 } = sources;
  if (!s3) throw new Error('a location in S3 without access to it');
  return new S3Folder(s3, { bucket: wanted.host, prefix: wanted.path.slice(1) }, options);
}

interface Place {
  readonly scheme: 'file' | 's3';
  /** The bucket; empty for files. */
  readonly host: string;
  /** Begins with `/` and does not end with another one. */
  readonly path: string;
}

function parse(uri: string): Place {
  const bad = (reason: string): MillraceError =>
    new MillraceError('INVALID_PARAMETER', `uri ${JSON.stringify(uri)}: ${reason}`);
  const [, named, host, encoded = '/'] = /^([a-z0-9]+):\/\/([^/]*)(\/.*)?$/i.exec(uri) ?? [];
  const scheme = named?.toLowerCase();
  if (host === undefined || (scheme !== 'file' && scheme !== 's3'))
    throw bad('want s3://<bucket>/<folder> or file:///<folder>');
  if ((scheme === 'file') !== (host === '')) throw bad('want s3://<bucket>/… or file:///…');
  if (!/^[a-z0-9.-]*$/i.test(host)) throw bad('that is no name of a bucket');
  let path: string;
  try {
    path = decodeURIComponent(encoded);
  } catch {
    throw bad('a % in it is not followed by two hexadecimal digits');
  }
  const segments = path.split('/').filter((segment) => segment !== '');
  if (/[\\\0?#]/.test(path) || segments.some((segment) => segment === '.' || segment === '..'))
    throw bad('it may have no "..", ".", "?", "#" or "\\"');
  return { scheme, host, path: `/${segments.join('/')}` };
}

function within(wanted: Place, { scheme, host, path }: Place): boolean {
  const folder = path === '/' ? path : `${path}/`;
  return (
    wanted.scheme === scheme &&
    wanted.host === host &&
    (wanted.path === path || wanted.path.startsWith(folder))
  );
}

/**
 * The path to the allowed folder may contain links, as the operator chose; below it, links are
 * refused.
 */
async function localFolder(
  path: string,
  allowed: string,
  options: LocationOptions,
): Promise<TableFolder> {
  let root: string;
  try {
    root = await realpath(allowed);
  } catch (error) {
    throw brokenTable('there is no such folder', error);
  }
  const folder = await plainPath(root, path.slice(allowed === '/' ? 0 : allowed.length));
  if (folder === undefined) throw brokenTable('there is no such folder');
  return new LocalFolder(folder.replace(/(?<=.)\/$/, ''), options);
}
