/**
 * The code is in a state that it rules out. This is a mistake of ours, so the answer is a 500, and
 * the error is logged.
 */
class ImpossibleStateError extends Error {}

/**
 * Use this where a type allows an absent value and the code around it does not, instead of a
 * fallback such as `?? ''`, which would let a mistake pass for data.
 * @param what names the value in the error
 * @throws {Error} when there is no value
 */
export function certain<Value>(value: Value | undefined | null, what: string): Value {
  if (value === undefined || value === null)
    throw new ImpossibleStateError(`impossible state: there is no ${what}`);
  return value;
}
