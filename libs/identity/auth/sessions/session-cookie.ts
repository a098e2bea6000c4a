import type { AuthenticatedRequest } from '@app/platform';

const NAME = 'millrace_session';
/**
 * The cookie's name over TLS. A browser accepts a cookie of such a name from this host only, and
 * from no neighbour of it.
 */
const HOST_NAME = `__Host-${NAME}`;

/** The session's sealed text that a browser has sent, if any. */
export function cookieIn({ headers }: Pick<AuthenticatedRequest, 'headers'>): string | undefined {
  const sent = new Map(
    (headers.cookie ?? '').split(';').flatMap((pair) => {
      const at = pair.indexOf('=');
      return at > 0 ? [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const] : [];
    }),
  );
  return sent.get(HOST_NAME) ?? sent.get(NAME);
}

/**
 * `Set-Cookie` for a session. No script reads it, no other site's page sends it, and once it was
 * set over TLS it goes over TLS only.
 * @param seconds how long the browser keeps it; 0 ends it
 */
export function sessionCookie(
  sealed: string,
  seconds: number,
  { protocol, headers }: Pick<AuthenticatedRequest, 'protocol' | 'headers'>,
): string {
  // The page knows it, where a proxy with TLS is not believed.
  const isSecure = protocol === 'https' || headers.origin?.startsWith('https://') === true;
  const attributes = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict`;
  return isSecure
    ? `${HOST_NAME}=${sealed}; ${attributes}; Secure`
    : `${NAME}=${sealed}; ${attributes}`;
}

/**
 * Headers of an answer that a cookie opened. Shared caches keep nothing of what `Authorization`
 * opened; of a cookie they know that only when they are told.
 */
export const FOR_ONE_BROWSER = {
  'Cache-Control': 'private, no-store',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;
