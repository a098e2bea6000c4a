export { BackUpPipeline, makingFolder } from './back-up.pipeline.js';
export { refuseHalfRestored, restore } from './restore.pipeline.js';
export { BucketBackups } from './bucket-backups.js';
export { ClusterBackup } from './cluster-backup.js';
export { readManifest } from './manifest.js';
