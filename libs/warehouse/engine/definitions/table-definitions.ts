import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIT_COLUMNS } from '../../ddl/ddl.js';
import type { TableName } from '../../warehouse.js';
import { databasesIn } from './database-definitions.js';

interface TableDefinition {
  /** The table's number, by which its rows lie on the disk. */
  readonly uuid: string | undefined;
  /** The stream to which it belongs; undefined: it is that of none, or cut off. */
  readonly comment: string | undefined;
}

export const DEFINITION = '.sql';
const UUID = / UUID '([0-9a-f]{8}-[0-9a-f-]{27})'/;
const COMMENT = /\nCOMMENT '(\w+)'\s*$/;

export function readDefinition(definition: string): TableDefinition {
  return { uuid: UUID.exec(definition)?.[1], comment: COMMENT.exec(definition)?.[1] };
}

const SETTINGS = /\nSETTINGS .*/;

/** A definition that is whole: its columns, a line each. */
const COLUMNS = /^ATTACH TABLE .*\n\(\n((?: {4}.*\n)+)\)\nENGINE = /;

/**
 * Finds how the table of an audit trail differs from the one that was made. The engine loads it,
 * and statements on it fail, also those that ask all trails at once.
 * @returns undefined where it does not, and where the engine has to judge the text
 */
export function unlikeTrail(definition: string): string | undefined {
  const lines = COLUMNS.exec(definition)?.[1]
    ?.split('\n')
    .map((line) => line.replace(/,$/, ''));
  const missing = AUDIT_COLUMNS.filter(
    ({ name, type }) => lines && !lines.includes(`    \`${name}\` ${type}`),
  );
  if (missing.length === 0) return undefined;
  const columns = missing.map(({ name, type }) => `${name} ${type}`).join(', ');
  return `no audit trail has these columns: want ${columns}`;
}

/**
 * Finds what ends the engine's process when it reads the table, not when it loads it: it divides by
 * the rows of a granule. Found by changing definitions at random; all else it refuses by itself.
 */
export function endsEngine(definition: string): string | undefined {
  return /[ ,]index_granularity = 0\b/.test(SETTINGS.exec(definition)?.[0] ?? '')
    ? 'index_granularity = 0 ends the engine when it reads the table: want 8192'
    : undefined;
}

/** @returns nothing where there is no file */
export function definitionText(file: string): string {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file, 'utf8') : '';
}

/** A definition in the engine's folder. */
export interface PlacedDefinition extends TableName {
  readonly place: string;
  readonly text: string;
}

/** The definitions of all tables in the engine's folder. */
export function placedDefinitions(store: string): readonly PlacedDefinition[] {
  const found: PlacedDefinition[] = [];
  for (const database of databasesIn(store).values()) {
    const folder = join(store, 'metadata', database);
    // The link leads nowhere where a crash left a database half dropped.
    const names = existsSync(folder) ? readdirSync(folder) : [];
    for (const name of names.filter((each) => each.endsWith(DEFINITION))) {
      const place = join(folder, name);
      const table = decodeURIComponent(name.slice(0, -DEFINITION.length));
      found.push({ database, table, place, text: definitionText(place) });
    }
  }
  return found;
}
