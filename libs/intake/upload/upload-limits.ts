/** Token of the configured `UploadLimits`. */
export const UPLOAD_LIMITS = Symbol('UploadLimits');
