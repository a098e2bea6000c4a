import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MillraceError } from '@app/platform';

/** The pages that may call us from a browser. Our own always may. */
export interface AllowedPages {
  /** The origins in the form in which a browser sends them; `*` is any. */
  readonly origins: readonly string[];
  /** The place where they are configured. The message of a refusal names it. */
  readonly setting: string;
}

/** Our own pages send this header. No page of another site can send it without asking first. */
export const CONSOLE_HEADER = 'x-millrace-console';

const ONLY_READS = new Set(['GET', 'HEAD']);

/**
 * Refuses requests that a browser sends for a page of another site. A browser adds the credentials
 * that it knows for us, without asking, to every request that a form could send. No page can change
 * what a browser says about the page (`Sec-Fetch-Site`, `Origin`); programs that are no browser say
 * nothing. Reads of the API are refused too, since a query costs something. The exception is a link
 * that somebody follows, because only that person sees the answer.
 */
export function refuseOtherSites(
  fastify: FastifyInstance,
  { origins, setting }: AllowedPages,
  refuse: (error: MillraceError, request: FastifyRequest, reply: FastifyReply) => void,
): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!isOfOtherSite(request, origins) || isHarmless(request)) {
      done();
      return;
    }
    const message = `a page of another site may not call this; if it should, name its origin in ${setting}`;
    refuse(new MillraceError('FORBIDDEN', message), request, reply);
  });
}

/**
 * Tells whether one of our own pages asks, or no page at all. Pages of allowed origins do not count
 * as our own.
 */
export const asksFromOwnPage = (request: FastifyRequest): boolean => !isOfOtherSite(request, []);

/** The headers that a browser needs so that pages of these origins may call and read. */
export function corsFor(origins: readonly string[]) {
  return {
    origin: origins.includes('*') ? '*' : [...origins],
    // Credentials are not allowed for `*`: browsers refuse that combination, and rightly so.
    credentials: !origins.includes('*'),
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    exposedHeaders: ['X-Request-Id', 'X-Query-Id', 'Retry-After', 'ETag'],
    maxAge: 600,
    // An OPTIONS request that is no preflight is answered like any other request.
    strictPreflight: false,
  };
}

/** The route's pattern is compared, because the same path can be written in many ways. */
function isHarmless({ method, headers, routeOptions }: FastifyRequest): boolean {
  // A preflight changes nothing; its answer tells the browser what it may send.
  if (method === 'OPTIONS') return true;
  if (!ONLY_READS.has(method)) return false;
  return routeOptions.url?.startsWith('/api/') !== true || isFollowedLink(headers);
}

const isFollowedLink = (headers: IncomingHttpHeaders): boolean =>
  headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';

function isOfOtherSite(request: FastifyRequest, allowed: readonly string[]): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (origin === undefined && site === undefined) return false;
  if (allowed.includes('*') || (origin !== undefined && allowed.includes(origin))) return false;
  switch (site) {
    case 'same-origin':
    case 'none':
      return false;
    case undefined:
      // Old browsers send no such header, and other browsers do not send it to plain HTTP
      // addresses.
      return origin !== undefined && !isOwn(origin, request);
    case 'same-site':
      return origin === undefined || !isOwn(origin, request);
    default:
      return true;
  }
}

/**
 * Tells whether a page's origin has the name by which the browser called us, or called a trusted
 * proxy.
 */
function isOwn(origin: string, { headers, host, protocol }: FastifyRequest): boolean {
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  // An attacker on the network could have written a page that came over plain HTTP.
  if (page.protocol === 'http:' && protocol === 'https') return false;
  return [headers.host, host].some(
    (name) => name !== undefined && hostOf(page, name) === page.host,
  );
}

/** A host name as in a URL of the page's scheme: without the default port of the scheme. */
function hostOf({ protocol }: URL, name: string): string | undefined {
  const url = `${protocol}//${name}`;
  return URL.canParse(url) ? new URL(url).host : undefined;
}
