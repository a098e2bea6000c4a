import { MillraceError, type AuthenticatedRequest } from '@app/platform';

/** `Bearer` alone is also this scheme, with an empty secret. */
const BEARER = /^bearer(?: +(.*))?$/i;

/**
 * Reads the secret behind `Authorization: Bearer`. It is undefined where the request has no such
 * header.
 * @throws {MillraceError} UNAUTHORIZED for several headers, because a proxy may have checked a
 *   different one
 */
export function bearerIn({ headers, raw }: AuthenticatedRequest): string | undefined {
  const sent = raw.rawHeaders.filter(
    (name, at) => at % 2 === 0 && name.toLowerCase() === 'authorization',
  );
  if (sent.length > 1)
    throw new MillraceError('UNAUTHORIZED', 'send one Authorization header, not several');
  const [scheme, secret = ''] = BEARER.exec(headers.authorization ?? '') ?? [];
  return scheme === undefined ? undefined : secret;
}
