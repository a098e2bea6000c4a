import type { AuthenticatedRequest } from '@app/platform';

/** The header by which OpenObserve's users name a stream where the protocol has no place for it. */
export function streamNameOf({ headers }: AuthenticatedRequest): string | undefined {
  const { 'stream-name': named } = headers;
  return typeof named === 'string' && named !== '' ? named : undefined;
}
