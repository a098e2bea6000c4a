import { MillraceError } from '@app/platform';

const RETRY_AFTER_SECONDS = 5;

/** A command is refused before it appends anything. */
export function refusedBefore(cause: unknown): MillraceError {
  return new MillraceError(
    'NOT_READY',
    'nothing was changed: a component of the server cannot follow its events just now; try again later',
    { retryAfterSeconds: RETRY_AFTER_SECONDS, cause },
  );
}

/** A command has appended what does not show yet. */
export function notShown(cause: unknown): MillraceError {
  return new MillraceError(
    'NOT_READY',
    'what was changed is recorded, but does not show yet: a component of the server cannot follow its events just now; look again later, and send it again if something is missing then',
    { retryAfterSeconds: RETRY_AFTER_SECONDS, cause },
  );
}

export function shuttingDown(): MillraceError {
  return new MillraceError(
    'SHUTTING_DOWN',
    'the server is stopping; what was changed is recorded; look again later, and send it again if something is missing then',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
