import { didYouMean, MillraceError } from '@app/platform';
import type { FieldWithin } from '../../catalog.js';
import { knownType, type Known } from '../casts/known-type.js';

/** Fields within a column of objects, by their keys with dots between them. */
export interface Within extends ReadonlyMap<string, FieldWithin> {
  /** The type that a source gave the column. */
  readonly given?: string | undefined;
}

/** The columns of the statements that are being translated, each examined once. */
const structs = new WeakMap<Within, Struct>();

interface Struct {
  readonly type: Known;
  /** The paths of its values, and those that lead to them. */
  readonly paths: ReadonlySet<string>;
}

/**
 * Refuses a field that a struct does not have. Its type, which a file gave, tells all fields; what
 * else came as JSON is known by its values. Objects without such a type may have any field.
 * @throws {MillraceError} UNKNOWN_COLUMN
 */
export function checkKeys(column: string, keys: readonly string[], within: Within): void {
  if (within.given === undefined) return;
  const struct = structs.get(within) ?? structOf(within.given, within);
  structs.set(within, struct);
  if (struct.paths.has(keys.join('.'))) return;
  let { type } = struct;
  for (const [at, written] of keys.entries()) {
    const { fields } = type;
    // Objects and maps within a struct have any keys.
    if (!fields) return;
    const key = written.replaceAll('%2E', '.');
    const field = fields.find(({ name }) => name === key);
    if (!field) {
      const names = fields.map(({ name }) => name);
      throw noField(key, [column, ...keys.slice(0, at)].join('.'), names);
    }
    type = field.type;
  }
}

function structOf(given: string, within: Within): Struct {
  const paths = new Set<string>();
  for (const { keys } of within.values())
    for (let length = 1; length <= keys.length; length += 1)
      paths.add(keys.slice(0, length).join('.'));
  return { type: knownType(given), paths };
}

const NAMES_MAX = 20;

function noField(key: string, of: string, names: readonly string[]): MillraceError {
  const near = didYouMean(key, names) || `; there are: ${names.slice(0, NAMES_MAX).join(', ')}`;
  return new MillraceError('UNKNOWN_COLUMN', `there is no field ${JSON.stringify(key)} in ${of}${near}`); // prettier-ignore
}
