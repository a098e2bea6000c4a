export { BackUpPipeline, makingFolder, type BackupStep } from './back-up.pipeline.js';
export { refuseHalfRestored, restore } from './restore.pipeline.js';
