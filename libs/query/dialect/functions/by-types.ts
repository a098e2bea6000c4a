import type { Known } from '../casts/known-type.js';
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
  if (name === 'epoch' && first?.perSecond !== undefined)
    return `((${args[0] ?? ''}) / ${first.perSecond})`;
  return inZoneOfTime(name, types, args, written);
}
