import type { Column, SourceEngine } from '@app/warehouse';
import { SourceError } from '../../sources/source-error.js';
import type { Source } from '../../sources/source.js';
import type { SeenFiles } from '../seen-files.js';
import { farDecimals } from './far-decimals.js';
import type { ComputedColumn } from './computed-column.js';
import { folderColumns } from './folder-columns.js';
import { intervals, timesOfDay } from './rare-types.js';
import { wideDecimals } from './wide-decimals.js';

interface Given {
  /** The columns as they were found, or declared. */
  readonly columns: readonly Column[];
  readonly isDeclared: boolean;
  /** Names of columns whose values are in the names of folders, as far as they are known. */
  readonly folders: ReadonlySet<string>;
  readonly seen: SeenFiles | undefined;
  /** One of several files may not have a column. */
  readonly mayLack: boolean;
}

interface Computed {
  /** All columns by the types that they are served by. */
  readonly found: readonly Column[];
  /** The columns whose values are computed, by name. */
  readonly computed: ReadonlyMap<string, ComputedColumn>;
}

/**
 * Finds the columns whose values the engine does not read as they are written.
 * @throws {SourceError} where it does not read them at all
 */
export async function computedColumns(
  { columns, isDeclared, folders, seen, mayLack }: Given,
  source: Source,
  statements: SourceEngine['statements'],
): Promise<Computed> {
  const ofFolders = await folderColumns(folders, columns, source, statements);
  const asText = await intervals({ columns, isDeclared }, source, statements);
  const typeOf = ({ name, type }: Column): string => {
    const own = ofFolders.get(name) ?? (isDeclared ? undefined : asText.get(name));
    return own?.type ?? (mayLack ? nullable(type) : type);
  };
  const found = columns.map((column) => ({ name: column.name, type: typeOf(column) }));
  const wide = wideDecimals(
    found,
    seen?.decimals ?? (await farDecimals({ columns, isDeclared }, source, statements)),
  );
  refuseOfLake(wide, { ...source, isDeclared });
  const isTimed = source.footers !== undefined && !isDeclared;
  const times = isTimed ? timesOfDay(found) : [];
  return { found, computed: new Map([...times, ...asText, ...wide, ...ofFolders]) };
}

/**
 * The engine reads a default value where a file lacks the column. Composite types cannot be null, or
 * are told apart elsewhere.
 */
const nullable = (type: string): string => {
  const kept = /^LowCardinality\((?!Nullable)(.*)\)$/s.exec(type)?.[1];
  if (kept !== undefined) return `LowCardinality(Nullable(${kept}))`;
  return /^(?:Nullable|Array|Map|Tuple|LowCardinality|JSON|Variant|Dynamic)\b/.test(type)
    ? type
    : `Nullable(${type})`;
};

/** A lake is read by types of our own only where it says its own ones, and where it takes them. */
function refuseOfLake(
  wide: ReadonlyMap<string, unknown>,
  { lakeFooters, deltaLog, isDeclared }: Source & Pick<Given, 'isDeclared'>,
): void {
  const [column] = wide.keys();
  if (column === undefined || lakeFooters === undefined || (deltaLog && !isDeclared)) return;
  throw new SourceError(
    `column ${JSON.stringify(column)} has decimals in more bytes than their digits need, which are read here of files, and of Delta tables without \`schema\`: write the table anew`,
  );
}
