import { AGGREGATE_FUNCTIONS } from './aggregate-functions.js';
import { SCALAR_FUNCTIONS } from './scalar-functions.js';

/** Functions that the engine has under another name, or does not have; in lower case. */
export const TRANSLATED_FUNCTIONS: readonly string[] = [
  ...Object.keys(SCALAR_FUNCTIONS),
  ...Object.keys(AGGREGATE_FUNCTIONS),
  ...['current_catalog', 'current_database', 'current_schema'],
];
