export { refuseLostQueue } from './lost-queue.js';
export { openEmbeddedIngestQueue } from './embedded-ingest-queue.js';
export { waitingHeaders } from './waiting-headers.js';
