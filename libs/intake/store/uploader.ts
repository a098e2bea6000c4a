import { callerOf, checkAdmission, organizationOf, type AuthenticatedRequest } from '@app/platform';
import type { Uploader } from './stream-schemas.js';

/** Names the sender of this request, for the events that it may cause. */
export function uploaderOf(request: AuthenticatedRequest): Uploader {
  const caller = callerOf(request);
  const { 'user-agent': userAgent } = request.headers;
  return {
    actor: caller.userId,
    root: caller.root,
    organizationId: organizationOf(request).id,
    address: request.ip,
    requestId: request.id,
    checkAdmission: () => checkAdmission(request),
    ...(userAgent === undefined ? {} : { userAgent }),
  };
}
