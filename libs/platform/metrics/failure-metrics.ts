import { ERROR_STATUS, type MillraceError } from '../errors/errors.js';
import type { AuthenticatedRequest } from '../context/request.js';
import { counter } from './registry.js';

const failures = counter(
  {
    name: 'millrace_failures_total',
    help: 'Failures that clients were told, by their kind in docs/ERRORS.md; UNAUTHORIZED are failed logins',
    labelNames: ['kind'],
  },
  Object.keys(ERROR_STATUS),
);
const throttled = counter(
  {
    name: 'millrace_throttled_total',
    help: 'Requests told to wait (429), by what they were for',
    labelNames: ['what'],
  },
  ['login', 'upload', 'query', 'other'],
);

/** Counts a failure that a client is about to get. */
export function countFailure(
  { kind }: MillraceError,
  request: Partial<AuthenticatedRequest>,
): void {
  failures.inc({ kind });
  if (kind === 'TOO_MANY_REQUESTS') throttled.inc({ what: throttledWork(request) });
}

/** While a login is delayed, the caller is not known yet. */
function throttledWork({ caller, access }: Partial<AuthenticatedRequest>): string {
  if (!caller) return 'login';
  return access === 'upload' || access === 'query' ? access : 'other';
}
