import { MillraceError } from '@app/platform';

/** The error for a message that the client could have sent correctly. */
export const unfit = (message: string, cause?: unknown): MillraceError =>
  new MillraceError('INVALID_PARAMETER', message, { cause });
