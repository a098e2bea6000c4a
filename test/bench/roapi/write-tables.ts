import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROAPI_FIXTURES } from '../../server/start-edge.js';

const KEYS = 100;
const CITIES = 500;
const SOME_PRIME = 7919;

/** CSV of these many rows, the same each time. */
export function writeVisits(file: string, rows: number): void {
  const lines = ['id,city,amount,day,note'];
  for (let id = 0; id < rows; id += 1) {
    const mixed = (id * SOME_PRIME) % 1_000_003;
    const day = String(1 + (mixed % 28)).padStart(2, '0');
    lines.push(
      `${id},city ${mixed % CITIES},${mixed % 9973},2025-03-${day},visit number ${mixed} of many`,
    );
  }
  writeFileSync(file, `${lines.join('\n')}\n`);
}

/** A configuration that both programs read, without what is small and large beside it. @param tables names and places */
export function writeConfig(file: string, tables: Readonly<Record<string, string>>): void {
  const entries = Object.entries(tables).map(([name, uri]) => `  - {name: ${name}, uri: "${uri}"}`);
  writeFileSync(file, ['tables:', ...entries, ''].join('\n'));
}

/** Writes a configuration of one small table and one small store. @returns the file */
export function writeSmall(folder: string): string {
  const values = join(folder, 'names.csv');
  const lines = Array.from({ length: KEYS }, (_, at) => `key${at},value of ${at}`);
  writeFileSync(values, `${['k,v', ...lines].join('\n')}\n`);
  const file = join(folder, 'small.yaml');
  writeFileSync(
    file,
    `tables:
  - {name: cities, uri: "${join(ROAPI_FIXTURES, 'uk_cities_with_headers.csv')}"}
kvstores:
  - {name: names, uri: "${values}", key: k, value: v}
`,
  );
  return file;
}
