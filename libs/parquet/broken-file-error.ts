/**
 * A file breaks the rules of its format, or has more than is read. The message is a clause about
 * "it", which is the file, for the client that sent it.
 */
export class BrokenFileError extends Error {}
