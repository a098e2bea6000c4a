import { MillraceError } from '@app/platform';

export const malformed = (message: string): MillraceError =>
  new MillraceError('MALFORMED_BODY', message);
