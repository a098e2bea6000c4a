import { MillraceError } from '@app/platform';
import { isPrintedAsValue, type Column } from '@app/warehouse';
import { ColumnNeighbours } from './column-neighbours.js';
import { elementOf, isObject, isScalar, isText, type Verbatim } from './column-types.js';
import { fieldNameProblem } from './stream-name-rules.js';
import type { StreamSettings } from './stream-settings.js';
import { declarableName } from './declared-type-names.js';
import { holds, readValueType } from './value-type.js';

/** More columns would slow down every query, so a record that needs more is rejected. */
export const COLUMNS_MAX = 2000;

/** The change that a declaration of columns makes. */
interface DeclaredChange {
  readonly added: readonly Column[];
  readonly widened: readonly Column[];
  readonly verbatim: readonly { readonly name: string; readonly of: Verbatim }[];
}

/**
 * Columns that do not exist yet, and those that become wider. The stored rows change their type
 * too, so it changes only if each value stays the same.
 * @throws {MillraceError} INVALID_PARAMETER
 */
export function declaredColumns(
  columns: readonly Column[],
  declared: readonly Column[],
): DeclaredChange {
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const neighbours = new ColumnNeighbours(columns);
  const added: Column[] = [];
  const widened: Column[] = [];
  for (const { name, type } of declared) {
    const now = types.get(name);
    if (now === type) continue;
    if (now !== undefined) {
      // A column from before columns of objects had nulls keeps its type.
      if (isObject(now) && isObject(type)) continue;
      if (!canBecome(now, type))
        throw invalid(`columns: ${JSON.stringify(name)} ${whyNot(now, type)}`);
      widened.push({ name, type });
      continue;
    }
    const problem = fieldNameProblem(name);
    if (problem) throw invalid(`columns: a column ${problem}`);
    const clash = neighbours.problemWith({ name, type });
    if (clash) throw invalid(`columns: ${JSON.stringify(name)} ${clash}`);
    added.push({ name, type });
    neighbours.add({ name, type });
  }
  if (columns.length + added.length > COLUMNS_MAX)
    throw invalid(`columns: a stream has at most ${COLUMNS_MAX}`);
  // Numbers that still come are stored as they are written.
  const verbatim = widened
    .filter(({ type }) => isText(type))
    .map(({ name }) => ({ name, of: 'scalars' as const }));
  return { added, widened, verbatim };
}

/**
 * Tells whether each value stays the same in the other type, or becomes the text that answers show.
 */
function canBecome(now: string, type: string): boolean {
  const [list, lists] = [elementOf(now), elementOf(type)];
  if ((list === undefined) !== (lists === undefined)) return false;
  const [from, to] = [readValueType(list ?? now), readValueType(lists ?? type)];
  if (!from || !to) return false;
  return holds(to, from) || (list === undefined && isText(type) && from.family !== 'timestamp');
}

function whyNot(now: string, type: string): string {
  const change = `is ${declarableName(now)} already, and cannot become ${declarableName(type)}`;
  if (isText(now))
    return `${change}: text stays text; declare the type in a new stream before its first upload, and upload there what SELECT * FROM this one answers as application/x-ndjson (docs/tables.md); in a statement CAST(x AS …) reads it so`;
  if (now === 'Nullable(Int64)' && type.startsWith('Nullable(Float'))
    return `${change} by a declaration; the first fraction that comes makes it one, where no integer in it is beyond 2^53`;
  return `${change} without loss; declare types before the first value`;
}

/** @throws {MillraceError} INVALID_PARAMETER if a key cannot be such a column */
export function checkKeys(columns: readonly Column[], settings: Partial<StreamSettings>): void {
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const keys = [...(settings.fullTextSearchKeys ?? []), ...(settings.partitionKeys ?? [])];
  const unkept = keys.find(isPrintedAsValue);
  // The engine would treat the index as one of whole values, and find nothing with it.
  if (unkept !== undefined)
    throw invalid(
      `${JSON.stringify(unkept)} can have no index, because its name is a word of the engine; leave it out of the keys: it can be asked for without`,
    );
  for (const name of settings.fullTextSearchKeys ?? []) {
    const type = types.get(name);
    if (type === undefined || !isText(type))
      throw invalid(`full_text_search_keys: ${JSON.stringify(name)} is not a Utf8 column of it`);
  }
  for (const name of settings.partitionKeys ?? []) {
    const type = types.get(name);
    if (type === undefined || !isScalar(type))
      throw invalid(
        `partition_keys: ${JSON.stringify(name)} is not a column of single values of it`,
      );
  }
}

const invalid = (message: string): MillraceError => new MillraceError('INVALID_PARAMETER', message);
