export { ErrorFilter, sendError } from './failures/error-filter.js';
export { elasticsearchFailure } from './failures/elasticsearch-failures.js';
export { FailuresAs, failureForm, type FailureForm } from './failures/failure-form.js';
export { listen, type ListenAddress } from './listener/listen.js';
export { listenFailure } from './listener/listen-failure.js';
export {
  followTlsFiles,
  measureCertificate,
  readTlsPair,
  type TlsFiles,
  type TlsPair,
} from './listener/server-tls.js';
export { openStatusServer } from './listener/status-server.js';
export { asksFromOwnPage, CONSOLE_HEADER, corsFor } from './pages/other-sites.js';
export { pagePolicy } from './pages/page-policy.js';
export { httpAdapter } from './server/http-server.js';
export { EmailRoute, lastSegmentConstraint, NamedRoute } from './server/last-segment.js';
export { nothingBehind } from './server/nothing-behind.js';
export { zlibDecoder } from './server/zlib-decoders.js';
