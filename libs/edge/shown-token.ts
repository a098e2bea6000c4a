import { createHash, timingSafeEqual } from 'node:crypto';
import { MillraceError } from '@app/platform';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The token that callers must send; undefined: none. */
export class ShownToken {
  private readonly accepted: readonly Buffer[];

  /** @param others that stand for it */
  constructor(token: string | undefined, others: readonly string[] = []) {
    this.accepted = token === undefined ? [] : [token, ...others].map(digest);
  }

  /**
   * @param authorization `Bearer <token>`, or Basic with the token as password, for browsers and
   *   programs that support nothing else
   * @throws {MillraceError} UNAUTHORIZED
   */
  check(authorization = ''): void {
    if (this.accepted.length === 0) return;
    const [, scheme = '', value = ''] = /^(Bearer|Basic) +(\S+)$/i.exec(authorization) ?? [];
    const isBasic = scheme.toLowerCase() === 'basic';
    const decoded = isBasic ? Buffer.from(value, 'base64').toString('utf8') : value;
    const shown = digest(isBasic ? decoded.replace(/^[^:]*:/, '') : decoded);
    if (this.accepted.some((each) => timingSafeEqual(shown, each))) return;
    throw new MillraceError(
      'UNAUTHORIZED',
      'the token is missing or wrong; send Authorization: Bearer <token>',
    );
  }
}
