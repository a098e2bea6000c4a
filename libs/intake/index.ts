export { DELTA_SOURCES } from './delta/delta-tables.js';
export { ForeignUploadsPipeline } from './foreign/foreign-uploads.pipeline.js';
export { FedOrganizations } from './foreign/place-message.js';
export { IntakeModule } from './intake.module.js';
export { keyOf as queueKeyOf } from './store/enqueue-batches.js';
export { Spool } from './spool/spool.js';
export { StorageBounds } from './store/storage-bounds.js';
export { measureStorage } from './store/storage-metrics.js';
export { UPLOAD_LIMITS } from './upload/upload-limits.js';
