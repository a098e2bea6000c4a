export { IngestModule } from './ingest.module.js';
export { Spool } from './upload/spool.js';
export { UPLOAD_LIMITS } from './upload/upload.controller.js';
export { DeadLetter } from './write/dead-letter.js';
export { GroupInserter } from './write/insert-group.js';
export { WritePipeline } from './write/write.pipeline.js';
export { WriteProgress } from './write/write-progress.js';
