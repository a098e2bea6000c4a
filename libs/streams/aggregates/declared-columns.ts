import { MillraceError } from '@app/platform';
import type { Column } from '@app/warehouse';
import { ColumnNeighbours } from './column-neighbours.js';
import { declarableName, isText } from './column-types.js';
import { fieldNameProblem } from './names.js';
import type { StreamSettings } from './stream-settings.js';

/** More would cost every query; a record that needs more is rejected. */
export const COLUMNS_MAX = 2000;

/**
 * Those that are not there yet. A column that is there keeps its type: its rows have it.
 * @throws {MillraceError} INVALID_PARAMETER
 */
export function declaredColumns(
  columns: readonly Column[],
  declared: readonly Column[],
): readonly Column[] {
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const neighbours = new ColumnNeighbours(columns);
  const added: Column[] = [];
  for (const { name, type } of declared) {
    const now = types.get(name);
    if (now === type) continue;
    if (now !== undefined)
      throw invalid(
        `columns: ${JSON.stringify(name)} is ${declarableName(now)} already, and cannot become ${declarableName(type)}; declare types before the first value`,
      );
    const problem = fieldNameProblem(name);
    if (problem) throw invalid(`columns: a column ${problem}`);
    const clash = neighbours.problemWith({ name, type });
    if (clash) throw invalid(`columns: ${JSON.stringify(name)} ${clash}`);
    added.push({ name, type });
    neighbours.add({ name, type });
  }
  if (columns.length + added.length > COLUMNS_MAX)
    throw invalid(`columns: a stream has at most ${COLUMNS_MAX}`);
  return added;
}

/** @throws {MillraceError} INVALID_PARAMETER where a key is no column that it can be */
export function checkKeys(columns: readonly Column[], settings: Partial<StreamSettings>): void {
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  for (const name of settings.fullTextSearchKeys ?? []) {
    const type = types.get(name);
    if (type === undefined || !isText(type))
      throw invalid(`full_text_search_keys: ${JSON.stringify(name)} is not a Utf8 column of it`);
  }
  for (const name of settings.partitionKeys ?? []) {
    const type = types.get(name);
    if (type === undefined || !type.startsWith('Nullable('))
      throw invalid(
        `partition_keys: ${JSON.stringify(name)} is not a column of single values of it`,
      );
  }
}

const invalid = (message: string): MillraceError => new MillraceError('INVALID_PARAMETER', message);
