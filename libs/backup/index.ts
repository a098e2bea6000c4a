export {
  BackUpPipeline,
  makingFolder,
  type BackupStep,
  type BackupWish,
  type RunningServer,
} from './back-up.pipeline.js';
export { refuseHalfRestored, restore } from './restore.pipeline.js';
