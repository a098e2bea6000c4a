import type { AuthenticatedRequest } from '@app/platform';

const NAME = 'millrace_session';
/**
 * The cookie's name over TLS. A browser accepts a cookie with such a name only from this host, and
 * not from other hosts of its domain.
 */
const HOST_NAME = `__Host-${NAME}`;

/**
 * The session's sealed text that the browser has sent, if any. Over TLS the other name does not
 * count: another host of the domain can set it, and so sign somebody in to its own account.
 */
export function cookieIn({
  headers,
  protocol,
}: Pick<AuthenticatedRequest, 'headers' | 'protocol'>): string | undefined {
  const sent = new Map(
    (headers.cookie ?? '').split(';').flatMap((pair) => {
      const at = pair.indexOf('=');
      return at > 0 ? [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const] : [];
    }),
  );
  return sent.get(HOST_NAME) ?? (protocol === 'https' ? undefined : sent.get(NAME));
}

/**
 * The `Set-Cookie` header for a session. Scripts cannot read the cookie, and requests from pages of
 * other sites do not carry it. If it was set over TLS, the browser sends it only over TLS.
 * @param seconds how long the browser keeps it; 0 ends it
 */
export function sessionCookie(
  sealed: string,
  seconds: number,
  { protocol, headers }: Pick<AuthenticatedRequest, 'protocol' | 'headers'>,
): string {
  // The page knows whether it came over TLS, even if the proxy with TLS is not trusted.
  const isSecure = protocol === 'https' || headers.origin?.startsWith('https://') === true;
  const attributes = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict`;
  return isSecure
    ? `${HOST_NAME}=${sealed}; ${attributes}; Secure`
    : `${NAME}=${sealed}; ${attributes}`;
}

/**
 * Headers of an answer to a request with a cookie. Shared caches do not store answers to requests
 * with `Authorization`; for cookies they need these headers.
 */
export const FOR_ONE_BROWSER = {
  'Cache-Control': 'private, no-store',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;
