import type { AuthenticatedRequest } from './request.js';

/**
 * Tells whether a caller still has a right. An answer may take long, and the right may end
 * meanwhile.
 */
export abstract class CallerStanding {
  /**
   * @param request an admitted request
   * @returns a function that tells whether the same request would be admitted now
   */
  abstract of(request: AuthenticatedRequest): () => boolean;
}
