import type { AuthenticatedRequest } from './request.js';

/** For answers that go on for long: whoever was let in may lose the right meanwhile. */
export abstract class CallerStanding {
  /**
   * @param request one that was let in
   * @returns tells, each time it is asked, whether the same request would be let in now
   */
  abstract of(request: AuthenticatedRequest): () => boolean;
}
