/**
 * Every failure a client can see: a closed list. `docs/ERRORS.md` documents the same list and
 * `errors.spec.ts` keeps the two equal.
 */
export const ERROR_STATUS = {
  MALFORMED_BODY: 400,
  EMPTY_BODY: 400,
  BODY_CUT_OFF: 400,
  BAD_ENCODING: 400,
  INVALID_NAME: 400,
  INVALID_PARAMETER: 400,
  ALREADY_EXISTS: 400,
  INVALID_SQL: 400,
  UNKNOWN_COLUMN: 400,
  INVALID_SEARCH: 400,
  INVALID_GRAPHQL: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  STATEMENT_REFUSED: 403,
  LIMIT_REACHED: 403,
  ORGANIZATION_NOT_FOUND: 404,
  USER_NOT_FOUND: 404,
  INVITATION_NOT_FOUND: 404,
  TOKEN_NOT_FOUND: 404,
  STREAM_NOT_FOUND: 404,
  KEY_NOT_FOUND: 404,
  ROUTE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  QUERY_TIMEOUT: 408,
  UPLOAD_TIMEOUT: 408,
  CONFLICT: 409,
  UPLOAD_TOO_LARGE: 413,
  RESULT_TOO_LARGE: 413,
  UNSUPPORTED_ENCODING: 415,
  EXPECTATION_FAILED: 417,
  HEADERS_TOO_LARGE: 431,
  TOO_MANY_REQUESTS: 429,
  STORAGE_FULL: 429,
  INTERNAL: 500,
  SET_ASIDE: 500,
  QUEUE_FULL: 503,
  QUEUE_UNAVAILABLE: 503,
  DISK_FULL: 503,
  TABLE_UNREADABLE: 503,
  EVENT_NOT_UNDERSTOOD: 503,
  NOT_READY: 503,
  SHUTTING_DOWN: 503,
} as const;

export type ErrorKind = keyof typeof ERROR_STATUS;

export interface ErrorOptions {
  /** Details of where or why; shown to the client as `error_detail`. Never a secret. */
  readonly detail?: string;
  /** The `code` in the body, instead of the HTTP status. */
  readonly code?: number;
  /** The underlying failure; logged, never shown. */
  readonly cause?: unknown;
  /** Seconds after which trying again makes sense; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** The methods that the path takes; becomes `Allow`. */
  readonly allow?: readonly string[];
}

/** A failure with a message written for the client: what is wrong and what to do. */
export class MillraceError extends Error {
  readonly detail: string | undefined;
  readonly code: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly allow: readonly string[] | undefined;

  constructor(
    readonly kind: ErrorKind,
    message: string,
    options: ErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'MillraceError';
    this.detail = options.detail;
    this.code = options.code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.allow = options.allow;
  }

  /** HTTP status of this kind. */
  get status(): number {
    return ERROR_STATUS[this.kind];
  }
}
