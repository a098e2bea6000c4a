export type { Caller, RequestOrganization } from './caller.js';
export { readConfig, type Config, type UploadLimits } from './config.js';
export { bodyOf, ErrorFilter, sendError, type ErrorBody } from './error-filter.js';
export { ERROR_STATUS, MillraceError, type ErrorKind } from './errors.js';
export { HealthController, Readiness } from './health.controller.js';
export { createLogger, nestLogger, type Logger } from './logger.js';
export { ACCESS_METADATA, Open, Requires, type Access, type Permission } from './permission.js';
export { callerOf, organizationOf, requestId, type AuthenticatedRequest } from './request.js';
export { closeOnSignal } from './shutdown.js';
