import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Reads the version from package.json; this runs from three folders below the root: dist/libs/platform, or a bundle's dist/apps/edge. */
export function programVersion(): string {
  const text = readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
