/** The exit codes of `millrace`, which its help explains. */
export const EXIT = {
  ok: 0,
  /** Everything was sent; some records did not fit and are kept in `_rejected`. */
  rejected: 1,
  /** Wrong arguments, or a file that cannot be read. */
  usage: 2,
  /**
   * The server cannot be reached, is busy for too long, or failed. The same command continues the
   * upload.
   */
  unavailable: 3,
  /** The server refuses the credentials, the permission, or what was sent. */
  refused: 4,
  /** Somebody pressed Ctrl-C. The same command continues the upload. */
  interrupted: 130,
} as const;

/** Says why the program ends, with a message for its user. */
export class CliError extends Error {
  constructor(
    readonly exitCode: number,
    message: string,
  ) {
    super(message);
    this.name = 'CliError';
  }
}

export const usageError = (message: string): CliError => new CliError(EXIT.usage, message);
