import { OperatorError } from '@app/platform';
import type { EdgeEnvironment } from './edge-environment.js';
import type { EdgeArguments } from './arguments.js';

/** A hosted organization to follow. */
export interface FollowConfig {
  /** The server's address, without `/api/…`; ends in `/`. */
  readonly url: URL;
  readonly organization: string;
  readonly user: string;
  /** Secret. */
  readonly password: string;
  readonly intervalSeconds: number;
  /** It is absent for a temporary folder, which is deleted when the program ends. */
  readonly cacheFolder?: string;
}

const DEFAULT_INTERVAL_SECONDS = 5;
const ORGANIZATION = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** @throws {Error} that names the argument or the variable */
export function readFollow(
  given: EdgeArguments,
  { user, password }: EdgeEnvironment,
): FollowConfig | undefined {
  if (given.follow === undefined) {
    for (const name of ['org', 'follow-interval', 'follow-cache'] as const)
      if (given[name] !== undefined) throw new OperatorError(`--${name} belongs to --follow <url>`);
    return undefined;
  }
  const organization = given.org ?? 'default';
  if (!ORGANIZATION.test(organization))
    throw new OperatorError(`--org ${organization}: want the name of an organization`);
  if (user === undefined || password === undefined)
    throw new OperatorError(
      '--follow: want MILLRACE_USER and MILLRACE_PASSWORD in the environment',
    );
  const cacheFolder = given['follow-cache'];
  return {
    url: urlOf(given.follow),
    organization,
    user,
    password,
    intervalSeconds: intervalOf(given['follow-interval']),
    ...(cacheFolder === undefined ? {} : { cacheFolder }),
  };
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new OperatorError(`--follow: want the server's URL, such as http://127.0.0.1:5080`);
  if (url.username !== '' || url.password !== '')
    throw new OperatorError('--follow: credentials go into MILLRACE_USER and MILLRACE_PASSWORD');
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

function intervalOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_INTERVAL_SECONDS;
  const interval = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : 0;
  if (interval > 0) return interval;
  throw new OperatorError(`--follow-interval ${text}: want a number of seconds more than 0`);
}
