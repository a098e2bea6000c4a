import type { AuthenticatedRequest } from '@app/platform';

/** Tells which organizations there are for a caller. Handed in by the app. */
export abstract class Databases {
  /** Tells whether there is one of this name in which the caller may query. */
  abstract has(request: AuthenticatedRequest, name: string): boolean;
}
