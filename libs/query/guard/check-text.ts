import { MillraceError } from '@app/platform';
import { STATEMENT_BYTES_MAX } from './limits.js';

// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** What needs no parser. @throws {MillraceError} EMPTY_BODY, INVALID_SQL */
export function checkText(text: string): void {
  if (text.trim() === '')
    throw new MillraceError('EMPTY_BODY', 'the statement is empty; send one SELECT');
  if (Buffer.byteLength(text) > STATEMENT_BYTES_MAX) {
    throw new MillraceError(
      'INVALID_SQL',
      `a statement may have at most ${STATEMENT_BYTES_MAX} bytes`,
    );
  }
  const control = CONTROL.exec(text);
  if (control) {
    throw new MillraceError(
      'INVALID_SQL',
      `control character at position ${control.index + 1}; write it as an escape such as \\x00`,
    );
  }
}
