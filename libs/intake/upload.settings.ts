import { positive, wholeNumber } from '@app/settings';
import type { z } from 'zod';

const [KIB, MIB, GIB] = [1024, 1024 ** 2, 1024 ** 3];

/** The injection token of the configured `UploadLimits`. */
export const UPLOAD_LIMITS = Symbol('UploadLimits');

/** The bounds of uploads. */
export interface UploadLimits {
  /** The most bytes of the decoded body. */
  readonly maxBytes: number;
  readonly maxRecordBytes: number;
  /** If less disk is free than this, no upload is admitted. */
  readonly minFreeDiskBytes: number;
  /** A client that sends nothing for so long is cut off. */
  readonly idleSeconds: number;
  /** A client that sends fewer bytes per second on average is cut off; 0 turns this off. */
  readonly minBytesPerSecond: number;
  /** The limits of requests of one organization at one node, here and below; 0: no limit. */
  readonly requestsPerSecond: number;
  /** The bytes of decoded bodies. */
  readonly bytesPerSecond: number;
}

/** The variables that bound uploads. Sizes are in bytes. */
export const uploadVariables = {
  MILLRACE_MAX_UPLOAD_BYTES: positive(5 * GIB),
  MILLRACE_MAX_RECORD_BYTES: positive(32 * MIB),
  MILLRACE_MIN_FREE_DISK_BYTES: wholeNumber(256 * MIB),
  MILLRACE_UPLOAD_IDLE_SECONDS: positive(60),
  MILLRACE_UPLOAD_MIN_BYTES_PER_SECOND: wholeNumber(KIB),
  MILLRACE_ORG_UPLOAD_REQUESTS_PER_SECOND: wholeNumber(0),
  MILLRACE_ORG_UPLOAD_BYTES_PER_SECOND: wholeNumber(0),
};

type Values = z.output<z.ZodObject<typeof uploadVariables>>;

export function uploadLimits(values: Values): UploadLimits {
  return {
    maxBytes: values.MILLRACE_MAX_UPLOAD_BYTES,
    maxRecordBytes: values.MILLRACE_MAX_RECORD_BYTES,
    minFreeDiskBytes: values.MILLRACE_MIN_FREE_DISK_BYTES,
    idleSeconds: values.MILLRACE_UPLOAD_IDLE_SECONDS,
    minBytesPerSecond: values.MILLRACE_UPLOAD_MIN_BYTES_PER_SECOND,
    requestsPerSecond: values.MILLRACE_ORG_UPLOAD_REQUESTS_PER_SECOND,
    bytesPerSecond: values.MILLRACE_ORG_UPLOAD_BYTES_PER_SECOND,
  };
}
