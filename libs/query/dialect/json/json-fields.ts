import { quoteIdentifier, quoteText } from '@app/warehouse';
import { hasType, type Known } from '../casts/known-type.js';
import { jsonPath, type Step } from './json-path.js';
import { fieldOf, type Scope } from '../queries/object-shapes.js';
import { isList, itemsOf, pathOf, type Nodes } from '../source-tree.js';

const AS_IT_IS = 'json_extract';
const AS_TEXT = /^(?:json_extract_string|json_extract_scalar|get_json_object|json_value)$/;
/** Functions whose arguments are keys, and no paths. */
const OF_KEYS = /^jsonb?_extract_path(?:_text)?$/;

/**
 * Writes `json_extract(k, '$.a.b')`, or `k -> 'a' -> 'b'`, of a column of objects as the field
 * `k.a.b`, with the type that it has.
 * @param name of the function, in lower case
 * @param nodes its arguments
 * @returns undefined if the first argument is no such column. It may be a text that holds JSON
 */
export function jsonField(name: string, nodes: Nodes, scope: Scope): string | undefined {
  const areKeys = OF_KEYS.test(name);
  const isText = AS_TEXT.test(name) || (areKeys && name.endsWith('_text'));
  if (name !== AS_IT_IS && !isText && !areKeys) return undefined;
  const names = pathTo(nodes, areKeys ? (key) => [key] : jsonPath);
  const found = names && fieldOf(scope, names);
  if (!found || found.keys.length === 0 || found.keys.includes('')) return undefined;
  const { table, column, keys, field, within } = found;
  const owner = [...(table === undefined ? [] : [table]), column].map(quoteIdentifier).join('.');
  const path = [owner, ...keys.map(quoteIdentifier)].join('.');
  if (field) {
    const value = field.write(path);
    if (!isText) return value;
    return /^(?:Nullable\()?(?:Array|Map|Tuple)\(/.test(field.type)
      ? `toJSONString(${value})`
      : `toString(${value})`;
  }
  const beginning = `${keys.join('.')}.`;
  const isObject = [...within.keys()].some((each) => each.startsWith(beginning));
  const steps = keys.map((key) => `, ${quoteText(key.replaceAll('%2E', '.'))}`).join('');
  // In the engine, the path to a nested object is null, and a struct has no other value.
  if (isObject) return `nullIf(JSONExtractRaw(toJSONString(${owner})${steps}), '')`;
  return isText ? `toString(${path})` : path;
}

/** The names on the path. */
function pathTo(
  nodes: Nodes,
  stepsOf: (path: string) => readonly Step[],
): readonly string[] | undefined {
  const [base = [], ...paths] = itemsOf(nodes);
  const [word, list, more] = base;
  const isCall =
    word?.kind === 'word' && word.text.toLowerCase() === AS_IT_IS && isList(list) && !more;
  const path = isCall ? pathTo(list.nodes, jsonPath) : pathOf(base);
  const steps = paths.flatMap((path): readonly Step[] => {
    const [only, second] = path;
    return only?.kind === 'text' && !second ? stepsOf(only.value) : [NaN];
  });
  return path && steps.every((step) => typeof step === 'string')
    ? [...path, ...steps.map((step) => step.replaceAll('.', '%2E'))]
    : undefined;
}

const READS_JSON = /^jsonb?_(?:extract|array_length|keys|valid|value)|^get_json_object$/;
const NO_VALUES = '^(?:Nullable.)?(?:Array|Tuple|Map|JSON)\\\\b';

/**
 * The arguments of such a function. Lists, structs and maps become JSON; the engine's own text of
 * them is none.
 * @param name in lower case
 * @param typeOfFirst the type of the first argument
 */
export function jsonArguments(
  name: string,
  args: readonly string[],
  typeOfFirst: () => Known,
): readonly string[] {
  const [value, ...rest] = args;
  if (value === undefined || !READS_JSON.test(name)) return args;
  const { kind } = typeOfFirst();
  if (kind === 'other') return [`toJSONString(${value})`, ...rest];
  if (kind !== 'unknown') return args;
  return [`if(${hasType(value, NO_VALUES)}, toJSONString(${value}), toString(${value}))`, ...rest];
}
