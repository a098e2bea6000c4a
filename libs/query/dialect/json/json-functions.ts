import { jsonPath, writtenStep } from './json-path.js';
import { fn, one, truth, written, type ScalarFunction } from '../functions/scalar-function.js';

const STEPS_MAX = 32;

/**
 * Writes a path within a text that contains JSON; json-fields.ts writes paths within columns of
 * objects.
 */
function stepsOf(name: string, paths: readonly string[]): string {
  return paths
    .flatMap((path) => {
      const place = /^-?\d{1,9}$/.test(path) ? Number(path) : undefined;
      return place === undefined ? jsonPath(written(name, path)) : [place];
    })
    .map((step) => `, ${writtenStep(step)}`)
    .join('');
}

const raw = (x: string, steps: string): string =>
  `nullIf(JSONExtractRaw(toString(${x})${steps}), '')`;
/** A text without its quotes, any other value as JSON, and null where there is no value. */
const text = (x: string, steps: string): string =>
  `if(JSONType(toString(${x})${steps}) = 'String', JSONExtractString(toString(${x})${steps}), nullIf(${raw(x, steps)}, 'null'))`;
const keys = (names: readonly string[]): string => names.map((name) => `, ${name}`).join('');

const EXTRACT = fn(2, STEPS_MAX, (x, ...paths) => raw(x, stepsOf('json_extract', paths)));
const EXTRACT_TEXT = fn(2, STEPS_MAX, (x, ...paths) =>
  text(x, stepsOf('json_extract_string', paths)),
);
const LENGTH = fn(1, 2, (x, ...paths) => {
  const given = `toString(${x})${stepsOf('json_array_length', paths)}`;
  return `if(JSONType(${given}) = 'Array', JSONLength(${given}), NULL)`;
});

const EXTRACT_KEYS = fn(2, STEPS_MAX, (x, ...names) => raw(x, keys(names)));
const EXTRACT_KEYS_TEXT = fn(2, STEPS_MAX, (x, ...names) => text(x, keys(names)));

/** Functions of JSON, by name in lower case. */
export const JSON_FUNCTIONS: Readonly<Record<string, ScalarFunction>> = {
  json_extract: EXTRACT,
  json_extract_string: EXTRACT_TEXT,
  json_extract_scalar: EXTRACT_TEXT,
  get_json_object: EXTRACT_TEXT,
  // Of a text it is the engine's own.
  json_value: fn(2, 2, (x, path) => `JSON_VALUE(${x}, ${path})`),
  json_extract_path: EXTRACT_KEYS,
  json_extract_path_text: EXTRACT_KEYS_TEXT,
  json_array_length: LENGTH,
  jsonb_extract_path: EXTRACT_KEYS,
  jsonb_extract_path_text: EXTRACT_KEYS_TEXT,
  jsonb_array_length: LENGTH,
  json_keys: fn(
    1,
    2,
    (x, ...paths) => `JSONExtractKeys(ifNull(toString(${x}), '')${stepsOf('json_keys', paths)})`,
  ),
  json_valid: fn(1, 1, (x) => truth(`isValidJSON(${x})`)),
  to_json: one('toJSONString'),
};
