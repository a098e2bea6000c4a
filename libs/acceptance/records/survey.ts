/**
 * Counts, for every field, its values of each kind. Kinds are the engine's names of dynamic types;
 * `beyondFloat` counts integers that floats do not hold.
 */
export type Survey = ReadonlyMap<string, ReadonlyMap<string, number>>;
