export { addressPrefix, type AddressPrefix } from './address-prefix.js';
export { seesStream, type Caller, type RequestOrganization } from './caller.js';
export { certain } from './certain.js';
export { readConfig, type Config, type UploadLimits } from './config.js';
export { type EdgeEnvironment, readEdgeEnvironment, readSourceCredentials } from './config-edge.js';
export { ORGANIZATION_PLACE, type DeltaSources, type S3Access } from './delta-sources.js';
export { bodyOf, ErrorFilter, sendError, type ErrorBody } from './error-filter.js';
export {
  Describe,
  DESCRIPTION_METADATA,
  Undescribed,
  UNDESCRIBED_METADATA,
  type FailureExample,
  type RouteDescription,
} from './describe.js';
export { failureForm, FailuresAs, type FailureForm } from './failure-form.js';
export { diskFull, failedCommit, isDiskFull } from './disk-full.js';
export { checkLmdbFile } from './lmdb-file.js';
export { EmailRoute, lastSegmentConstraint, NamedRoute } from './last-segment.js';
export { ERROR_STATUS, MillraceError, type ErrorKind } from './errors.js';
export { HealthController } from './health.controller.js';
export { followTlsFiles, measureCertificate } from './server-tls.js';
export { httpAdapter } from './http-server.js';
export type { KafkaAccess } from './kafka-access.js';
export { isAbort } from './is-abort.js';
export { keepPrivate, makePrivately } from './keep-private.js';
export { listenFailure } from './listen-failure.js';
export { createLogger, nestLogger, type Logger } from './logger.js';
export { MetricsController } from './metrics/metrics.controller.js';
export { counter, gauge, histogram, measureProcess, ROW_BUCKETS } from './metrics/registry.js';
export { measureReadiness } from './metrics/readiness-metrics.js';
export { didYouMean } from './near-name.js';
export { nodeId } from './node-id.js';
export {
  ACCESS_METADATA,
  Open,
  Requires,
  RequiresAccount,
  type Access,
  type Permission,
} from './permission.js';
export { explainIssues, unknownKey, type KeyPath } from './explain-issues.js';
export { isLoopback, namesLoopback } from './loopback.js';
export { readJson } from './read-json.js';
export { Readiness } from './readiness.js';
export { callerOf, fromThisMachine, organizationOf, type AuthenticatedRequest } from './request.js';
export { breakOff, breakOffOnSignal, closeOnSignal, endWithin, drain } from './shutdown.js';
export type { SourceCredentials } from './source-credentials.js';
export { asksFromOwnPage, CONSOLE_HEADER, corsFor } from './other-sites.js';
export { CallerStanding } from './caller-standing.js';
export {
  askServer,
  openOperatorSocket,
  type OperatorSocket,
  type OperatorTask,
} from './operator-socket.js';
export { openStatusServer } from './status-server.js';
export { startTracing } from './tracing/start-tracing.js';
export { currentTrace, traced, traceHeaders, traceOf, type TraceContext } from './tracing/trace.js';
export { endOnUnhandledRejection } from './unhandled-rejections.js';
export { pagePolicy } from './page-policy.js';
export { programVersion } from './program-version.js';
export { syncPath, syncPathSync, writeDurably, writeDurablySync } from './write-durably.js';
export { SIGN_UP, type SignUpConfig } from './sign-up-config.js';
export { TENANT_BOUNDS, type TenantBounds } from './tenant-bounds.js';
