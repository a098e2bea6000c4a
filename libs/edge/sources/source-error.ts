/**
 * A description does not lead to a usable table. Its author, the operator or a caller, gets the
 * message.
 */
export class SourceError extends Error {}
