import { isAbort, MillraceError, type ErrorKind, type Logger } from '@app/platform';

/** The states of gRPC that calls end with here. */
const STATES = {
  CANCELLED: 1,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

const OF_KIND: Readonly<Partial<Record<ErrorKind, number>>> = {
  INVALID_SQL: STATES.INVALID_ARGUMENT,
  EMPTY_BODY: STATES.INVALID_ARGUMENT,
  UNKNOWN_COLUMN: STATES.INVALID_ARGUMENT,
  INVALID_PARAMETER: STATES.INVALID_ARGUMENT,
  STREAM_NOT_FOUND: STATES.NOT_FOUND,
  ORGANIZATION_NOT_FOUND: STATES.NOT_FOUND,
  ROUTE_NOT_FOUND: STATES.UNIMPLEMENTED,
  STATEMENT_REFUSED: STATES.PERMISSION_DENIED,
  FORBIDDEN: STATES.PERMISSION_DENIED,
  UNAUTHORIZED: STATES.UNAUTHENTICATED,
  QUERY_TIMEOUT: STATES.DEADLINE_EXCEEDED,
  UPLOAD_TIMEOUT: STATES.DEADLINE_EXCEEDED,
  RESULT_TOO_LARGE: STATES.RESOURCE_EXHAUSTED,
  UPLOAD_TOO_LARGE: STATES.RESOURCE_EXHAUSTED,
  TOO_MANY_REQUESTS: STATES.RESOURCE_EXHAUSTED,
  TABLE_UNREADABLE: STATES.UNAVAILABLE,
  NOT_READY: STATES.UNAVAILABLE,
  SHUTTING_DOWN: STATES.UNAVAILABLE,
};

/** The end of a call that failed. */
export interface CallFailure {
  readonly code: number;
  readonly details: string;
}

/** The message goes into a header, whose size is limited. */
const DETAILS_MAX = 1500;

/** Makes of any failure what the client is told. Nothing else maps errors to gRPC. */
export function toCallFailure(error: unknown, logger: Logger): CallFailure {
  if (isAbort(error)) return { code: STATES.CANCELLED, details: 'the call was cancelled' };
  const code = error instanceof MillraceError ? OF_KIND[error.kind] : undefined;
  if (code !== undefined) return { code, details: told((error as MillraceError).message) };
  logger.error({ err: error }, 'a call of Flight SQL has failed');
  return {
    code: STATES.INTERNAL,
    details: 'this failed at the server, whose log says why',
  };
}

/** Half of a surrogate pair, which remains if a statement is cut there, cannot be sent. */
const told = (message: string): string => Buffer.from(message.slice(0, DETAILS_MAX)).toString();
