import type { Column } from '@app/warehouse';
import type { FieldWithin } from '../catalog.js';
import { readElement, readEngineType, typeWithin } from './engine-type.js';

/** The number of such fields of a table; more would make each statement slower. */
const FIELDS_MAX = 1000;
const DEPTH_MAX = 10;

/**
 * The fields within columns of tuples. They have types already; statements refer to them by these
 * names.
 */
export function tupleFields(columns: readonly Column[]): readonly FieldWithin[] {
  const names = new Set(columns.map(({ name }) => name));
  return columns
    .flatMap(({ name, type }) => within(name, [], type))
    .filter(({ name }) => !names.has(name))
    .slice(0, FIELDS_MAX);
}

function within(column: string, above: readonly string[], type: string): readonly FieldWithin[] {
  const read = readEngineType(type);
  if (read.name === 'Nullable' && TUPLE.test(typeWithin(read)))
    return within(column, above, typeWithin(read));
  if (read.name !== 'Tuple' || above.length >= DEPTH_MAX) return [];
  return read.parameters.flatMap((parameter) => {
    const { name: quoted, type: element } = readElement(parameter.replace(/\s+/g, ' '));
    const key = /^(?:`([^`\\.]+)`|(\w+)) $/.exec(quoted);
    const keyName = key?.[1] ?? key?.[2];
    if (keyName === undefined) return [];
    const keys = [...above, keyName];
    const full = [column, ...keys].join('.');
    const field = { name: full, type: element, column, keys, write: (path: string) => path };
    return TUPLE.test(element) ? within(column, keys, element) : [field];
  });
}

const TUPLE = /^(?:Nullable\()?Tuple\(/;
