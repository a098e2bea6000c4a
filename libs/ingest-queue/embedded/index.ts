export { openEmbeddedIngestQueue } from './embedded-ingest-queue.js';
