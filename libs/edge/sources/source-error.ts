/**
 * No table can be made of a description. The author of the description, the operator or a caller,
 * is told.
 */
export class SourceError extends Error {}
