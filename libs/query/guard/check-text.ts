import { MillraceError } from '@app/platform';
import { SELECTS_MAX, STATEMENT_BYTES_MAX } from './limits.js';

// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/**
 * Refuses texts that can be refused without a parser.
 * @throws {MillraceError} EMPTY_BODY, INVALID_SQL
 */
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

/** @param canonical as the engine prints it. @throws {MillraceError} INVALID_SQL */
export function checkSize(canonical: string): void {
  const selects = canonical.match(/\bSELECT\b/g)?.length ?? 0;
  if (selects > SELECTS_MAX) {
    throw new MillraceError(
      'INVALID_SQL',
      `a statement may have at most ${SELECTS_MAX} SELECTs, and this one has ${selects}; ask for several in one with IN, GROUP BY or arrayJoin`,
    );
  }
}
