import type { AuthenticatedRequest } from './request.js';

/** Says whether a caller still has a right: an answer may go on for long, and the right may end meanwhile. */
export abstract class CallerStanding {
  /**
   * @param request one that was let in
   * @returns tells, each time it is asked, whether the same request would be let in now
   */
  abstract of(request: AuthenticatedRequest): () => boolean;
}
