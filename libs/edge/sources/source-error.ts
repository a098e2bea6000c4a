/** A table cannot be made of what it is described by. Whoever described it, the operator or a caller, is told. */
export class SourceError extends Error {}
