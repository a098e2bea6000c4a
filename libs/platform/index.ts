export { addressPrefix, type AddressPrefix } from './context/address-prefix.js';
export { seesStream, type Caller, type RequestOrganization } from './context/caller.js';
export { certain } from './errors/certain.js';
export { bodyOf, ErrorFilter, sendError, type ErrorBody } from './errors/error-filter.js';
export {
  Describe,
  DESCRIPTION_METADATA,
  Undescribed,
  UNDESCRIBED_METADATA,
  type FailureExample,
  type RouteDescription,
} from './context/describe.js';
export { failureForm, FailuresAs, type FailureForm } from './errors/failure-form.js';
export { diskFull, failedCommit, isDiskFull } from './errors/disk-full.js';
export { checkLmdbFile } from './files/lmdb-file.js';
export { EmailRoute, lastSegmentConstraint, NamedRoute } from './http/last-segment.js';
export { ERROR_STATUS, MillraceError, type ErrorKind } from './errors/errors.js';
export { HealthController } from './health/health.controller.js';
export {
  followTlsFiles,
  measureCertificate,
  readTlsPair,
  type TlsFiles,
  type TlsPair,
} from './http/server-tls.js';
export { httpAdapter } from './http/http-server.js';
export { isAbort } from './errors/is-abort.js';
export { keepPrivate, makePrivately } from './files/keep-private.js';
export { listen, type ListenAddress } from './http/listen.js';
export { listenFailure } from './http/listen-failure.js';
export { createLogger, nestLogger, type Logger } from './logging/logger.js';
export { OutageLog } from './logging/outage-log.js';
export { MetricsController } from './metrics/metrics.controller.js';
export { counter, gauge, histogram, measureProcess, ROW_BUCKETS } from './metrics/registry.js';
export { measureReadiness } from './metrics/readiness-metrics.js';
export { didYouMean } from './errors/near-name.js';
export { nodeId } from './node-id.js';
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
  fromThisMachine,
  organizationOf,
  type AuthenticatedRequest,
} from './context/request.js';
export {
  breakOff,
  breakOffOnSignal,
  closeOnSignal,
  endWithin,
  drain,
} from './shutdown/shutdown.js';
export { asksFromOwnPage, CONSOLE_HEADER, corsFor } from './http/other-sites.js';
export { CallerStanding } from './context/caller-standing.js';
export {
  askServer,
  openOperatorSocket,
  type OperatorSocket,
  type OperatorTask,
} from './health/operator-socket.js';
export { openStatusServer } from './health/status-server.js';
export { startTracing } from './tracing/start-tracing.js';
export { currentTrace, traced, traceHeaders, traceOf, type TraceContext } from './tracing/trace.js';
export { endOnUnhandledRejection } from './shutdown/unhandled-rejections.js';
export { pagePolicy } from './http/page-policy.js';
export { programVersion } from './program-version.js';
export { unlessGone } from './files/unless-gone.js';
export { syncPath, syncPathSync, writeDurably, writeDurablySync } from './files/write-durably.js';
export {
  TENANT_BOUNDS,
  tenantBounds,
  tenantBoundVariables,
  type TenantBounds,
} from './settings/tenant-bounds.js';
export { positive, wholeNumber } from './settings/whole-number.js';
