/** A type of the engine for values that are never null. Names within it may have line breaks. */
export const withoutNull = (type: string): string => type.replace(/^Nullable\((.*)\)$/s, '$1');
