import { MillraceError } from '@app/platform';

/** The error for what a client has sent and could send otherwise. */
export const unfit = (message: string, cause?: unknown): MillraceError =>
  new MillraceError('INVALID_PARAMETER', message, { cause });
