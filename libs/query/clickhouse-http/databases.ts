import type { AuthenticatedRequest } from '@app/platform';

/** Lists the organizations of a caller. The app hands it in. */
export abstract class Databases {
  /** Tells whether an organization with this name exists in which the caller may query. */
  abstract has(request: AuthenticatedRequest, name: string): boolean;
}
