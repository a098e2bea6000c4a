import type { Known } from '../casts/known-type.js';
import { truth } from './scalar-function.js';
import { inZoneOfTime } from '../times/time-buckets.js';

/**
 * Writes a function once more whose meaning follows from the types of its arguments.
 * @param written the function as it is by its name alone
 */
export function byTypes(
  name: string,
  types: readonly Known[],
  args: readonly string[],
  written: string,
): string {
  // With two lists it is the function of DuckDB and Spark.
  if (name === 'map' && types.length === 2 && types.every(({ element }) => element !== undefined))
    return `mapFromArrays(${args.join(', ')})`;
  const [first] = types;
  const [value = ''] = args;
  if (name === 'epoch' && first?.perSecond !== undefined)
    return `((${value}) / ${first.perSecond})`;
  // Trino's is of lists.
  if (name === 'contains' && first?.element !== undefined) return truth(`has(${args.join(', ')})`);
  return inZoneOfTime(name, types, args, written);
}
