import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SourceError } from './source-error.js';

/** The place that a URI points to. */
export type Place =
  | { readonly kind: 'local'; readonly path: string }
  | { readonly kind: 'http'; readonly url: string }
  | { readonly kind: 's3' | 'gcs' | 'azure'; readonly bucket: string; readonly key: string }
  | { readonly kind: 'stdin' };

const OBJECT_STORES: Readonly<Record<string, 's3' | 'gcs' | 'azure'>> = {
  s3: 's3',
  s3a: 's3',
  gs: 'gcs',
  gcs: 'gcs',
  az: 'azure',
  adl: 'azure',
  abfs: 'azure',
  abfss: 'azure',
  azure: 'azure',
};

/**
 * @param base folder that relative paths start from.
 * @throws {Error} for a scheme that is not supported here.
 */
export function placeOf(uri: string, base: string): Place {
  if (uri === 'stdin') return { kind: 'stdin' };
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]+):\/\/(.*)$/is.exec(uri) ?? [];
  if (scheme === undefined) return { kind: 'local', path: resolve(base, uri) };
  const name = scheme.toLowerCase();
  if (name === 'http' || name === 'https') return { kind: 'http', url: uri };
  if (name === 'file' || name === 'filesystem')
    return { kind: 'local', path: rest.startsWith('/') ? decodedPath(rest) : resolve(base, rest) };
  const kind = Object.hasOwn(OBJECT_STORES, name) ? OBJECT_STORES[name] : undefined;
  if (!kind)
    throw new SourceError(
      `nobody reads ${scheme}:// here; want a path, file://, http(s)://, s3://, gs:// or az://`,
    );
  const [bucket = '', ...path] = rest.split('/');
  // abfs:// has `container@account`; the account comes from the environment.
  const [container = ''] = bucket.split('@', 1);
  if (container === '') throw new SourceError(`there is no bucket in ${uri}`);
  return { kind, bucket: container, key: decoded(path.join('/')) };
}

function decodedPath(path: string): string {
  try {
    return fileURLToPath(`file://${path}`);
  } catch {
    return path;
  }
}

/** Users of ROAPI write `%20` for a blank. */
function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** Tells whether the path is a pattern, which the engine matches. */
export const isGlob = (path: string): boolean => /[*?{]/.test(path);

/** Gives the pattern of a folder's files with these endings, however deep they are. */
export function withinFolder(folder: string, endings: readonly string[]): string {
  const [only, ...more] = endings;
  const ending = more.length === 0 ? (only ?? '*') : `{${endings.join(',')}}`;
  return `${folder.replace(/\/+$/, '')}/**/*.${ending}`;
}
