/**
 * A file is not what its format says, or has more than is read. The message is a clause about "it",
 * which is the file; whoever sent the file is told.
 */
export class BrokenFileError extends Error {}
