type Severity = 'ERROR' | 'FATAL';

/** A failure in the form of the protocol. */
export class PostgresError extends Error {
  readonly severity: Severity;
  /** The place in the client's text, in bytes, if it is known. */
  readonly position: number | undefined;
  readonly hint: string | undefined;

  constructor(
    /** SQLSTATE. */
    readonly state: string,
    message: string,
    {
      severity = 'ERROR',
      position,
      hint,
    }: { severity?: Severity; position?: number | undefined; hint?: string } = {},
  ) {
    super(message);
    this.name = 'PostgresError';
    this.severity = severity;
    this.position = position;
    this.hint = hint;
  }
}

/** The error for a message that violates the protocol: the connection ends. */
export const violation = (message: string): PostgresError =>
  new PostgresError('08P01', message, { severity: 'FATAL' });
