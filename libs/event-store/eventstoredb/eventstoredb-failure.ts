import {
  AccessDeniedError,
  InvalidArgumentError,
  isCommandError,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  StreamNotFoundError,
  UnsupportedError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { MillraceError } from '@app/platform';

/** The server has not answered for too long. */
export class SilenceError extends Error {
  constructor(readonly milliseconds: number) {
    super(`no answer within ${milliseconds} ms`);
    this.name = 'SilenceError';
  }
}

/** These are answers of the server. Asking again would bring the same. */
const ANSWERS = [
  AccessDeniedError,
  InvalidArgumentError,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  StreamNotFoundError,
  UnsupportedError,
  WrongExpectedVersionError,
];
const UNIMPLEMENTED = 12;
const RETRY_AFTER_SECONDS = 5;

/**
 * Tells whether it may be gone the next time: a lost connection, a leader that changed, a server
 * that is slow, a cluster in which nobody is found. The operation may have been carried out
 * nevertheless.
 */
export function isPassing(error: unknown): boolean {
  if (error instanceof SilenceError) return true;
  if (!(error instanceof Error) || ANSWERS.some((answer) => error instanceof answer)) return false;
  const { code } = error as { readonly code?: unknown };
  if (isCommandError(error) || typeof code === 'number') return code !== UNIMPLEMENTED;
  return error.message.startsWith('Failed to discover');
}

/** Turns a lasting failure into the error that callers of the port see. */
export function toFailure(error: unknown): unknown {
  if (isPassing(error)) return unreachable(error);
  if (error instanceof AccessDeniedError)
    return new Error(
      'the event store refuses this login: EVENTSTORE_URL needs the name and password of a user who may read $all',
      { cause: error },
    );
  if (error instanceof MaxAppendSizeExceededError)
    return new MillraceError(
      'INVALID_PARAMETER',
      'this change is larger than the event store takes at once; do it in several smaller ones',
      { cause: error },
    );
  return error;
}

/** The failure of a request to a server that cannot be reached. */
export function unreachable(cause?: unknown): MillraceError {
  return new MillraceError('NOT_READY', 'the event store does not answer; try again', {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
