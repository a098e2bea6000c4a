import type { AuthenticatedRequest } from '@app/platform';

/**
 * The header that names a stream, as OpenObserve's users know it, if the protocol has no place for
 * the name.
 */
export function streamNameOf({ headers }: AuthenticatedRequest): string | undefined {
  const { 'stream-name': named } = headers;
  return typeof named === 'string' && named !== '' ? named : undefined;
}
