export { BackUpPipeline, makingFolder, type BackupStep } from './back-up.pipeline.js';
export { refuseHalfRestored, restore } from './restore.pipeline.js';
export { BucketBackups, type CopyStep } from './bucket-backups.js';
export { ClusterBackup } from './cluster-backup.js';
