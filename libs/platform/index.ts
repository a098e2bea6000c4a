export { addressPrefix, type AddressPrefix } from './context/address-prefix.js';
export { seesStream, type Caller, type RequestOrganization } from './context/caller.js';
export { certain } from './errors/certain.js';
export { countPassedBytes } from './memory/passed-bytes.js';
export { bodyOf, type ErrorBody } from './errors/error-body.js';
export {
  Describe,
  DESCRIPTION_METADATA,
  Undescribed,
  UNDESCRIBED_METADATA,
  type FailureExample,
  type RouteDescription,
} from './context/describe.js';
export { diskFull, failedCommit, isDiskFull } from './errors/disk-full.js';
export { ERROR_STATUS, MillraceError, type ErrorKind } from './errors/errors.js';
export { HealthController } from './health/health.controller.js';
export { OperatorError } from './errors/operator-error.js';
export { isAbort } from './errors/is-abort.js';
export { createLogger, nestLogger, type Logger } from './logging/logger.js';
export { OutageLog } from './logging/outage-log.js';
export { MetricsController } from './metrics/metrics.controller.js';
export {
  counter,
  gauge,
  histogram,
  measureProcess,
  metricsText,
  ROW_BUCKETS,
} from './metrics/registry.js';
export { countFailure } from './metrics/failure-metrics.js';
export { measureRequests } from './metrics/request-metrics.js';
export { measureReadiness } from './metrics/readiness-metrics.js';
export { engineFailure, withoutLiterals } from './errors/without-literals.js';
export { didYouMean } from './errors/near-name.js';
export {
  ACCESS_METADATA,
  Open,
  Requires,
  RequiresAccount,
  type Access,
  type Permission,
} from './context/permission.js';
export { explainIssues, unknownKey, type KeyPath } from './errors/explain-issues.js';
export { isLoopback, namesLoopback } from './context/loopback.js';
export { readJson } from './context/read-json.js';
export { Readiness } from './health/readiness.js';
export {
  callerOf,
  checkAdmission,
  fromThisMachine,
  organizationOf,
  requestId,
  SENT_ID,
  type AuthenticatedRequest,
} from './context/request.js';
export {
  breakOff,
  breakOffOnSignal,
  closeOnSignal,
  endWithin,
  drain,
} from './shutdown/shutdown.js';
export { CallerStanding } from './context/caller-standing.js';
export {
  askServer,
  openOperatorSocket,
  type OperatorSocket,
  type OperatorTask,
} from './health/operator-socket.js';
export { traceRequests } from './tracing/trace-requests.js';
export { startTracing } from './tracing/start-tracing.js';
export { currentTrace, traced, traceHeaders, traceOf, type TraceContext } from './tracing/trace.js';
export { endOnUnhandledRejection } from './shutdown/unhandled-rejections.js';
export { programVersion } from './program-version.js';
export { ulid } from './ulid.js';
