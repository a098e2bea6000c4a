import type { FieldType } from '@app/arrow';
import {
  beyondFloat,
  limitedWithin,
  PATH_DEPTH_MAX,
  PATH_PROBLEM,
  within,
  WRITTEN_FLOAT,
} from '@app/streams';
import { isScalar, valueTypeOf } from '../files/field-type.js';
import { plainType } from './plain-value.sql.js';

/** The kinds of values that the objects of a field have within, as surveys tell them; none of any other field. */
export function kindsWithin(type: FieldType): readonly string[] {
  if (type.kind === 'map') return [limitedWithin('untold')];
  return type.kind === 'struct' ? pathsWithin(type, []) : [];
}

function pathsWithin(
  { fields }: Extract<FieldType, { readonly kind: 'struct' }>,
  above: readonly string[],
): readonly string[] {
  return fields.flatMap(({ name, type }) => {
    if (PATH_PROBLEM.test(name) || above.length >= PATH_DEPTH_MAX) return [];
    const path = [...above, name];
    if (type.kind === 'struct') return pathsWithin(type, path);
    if (type.kind === 'map') return [limitedWithin('untold')];
    return kindsOf(type).map((kind) => within(path.join('.'), kind));
  });
}

/** The kinds as the engine finds them in the JSON that is made of a value. */
function kindsOf(type: FieldType): readonly string[] {
  if (type.kind === 'nothing') return [];
  const kind = kindInJson(type);
  if (isScalar(type)) {
    if (kind === 'Float64') return [WRITTEN_FLOAT];
    if (kind === 'UInt64') return ['Int64', 'UInt64', beyondFloat('Int64')];
    return kind === 'Int64' ? ['Int64', beyondFloat('Int64')] : [kind];
  }
  return LISTS.has(kind) ? [kind] : ['Array(Dynamic)'];
}

/** Gives the kind as objects hold it, which have no types but those of JSON. */
function kindInJson(type: FieldType): string {
  if (isScalar(type)) return plainType(valueTypeOf(type));
  if (type.kind !== 'list') return 'JSON';
  const element = type.element.type;
  if (isScalar(element)) return `Array(Nullable(${plainType(valueTypeOf(element))}))`;
  return element.kind === 'list' ? 'Array(Dynamic)' : 'Array(JSON)';
}

/** A list of other values becomes a list of what each of them is in JSON. */
const LISTS = new Set([
  'Array(Nullable(Int64))',
  'Array(Nullable(String))',
  'Array(Nullable(Bool))',
  'Array(JSON)',
]);
