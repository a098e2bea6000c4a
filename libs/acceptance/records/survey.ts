/** Tells for every field how many of its values are of which kind. Kinds are the engine's names of dynamic types, and `beyondFloat` of those. */
export type Survey = ReadonlyMap<string, ReadonlyMap<string, number>>;
