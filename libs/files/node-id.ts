import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';

/** The id of this data directory. It survives a restart, and no other node has the same id. */
export function nodeId(dataDirectory: string): string {
  const file = join(dataDirectory, 'node-id');
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (kept !== '') return kept;
  const fresh = ulid();
  writeFileSync(file, `${fresh}\n`);
  return fresh;
}
