import type { UploadResult } from './upload-result.js';

/** The answer to an upload. */
export interface UploadAnswer {
  readonly code: 200;
  readonly status: readonly {
    readonly name: string;
    readonly successful: number;
    readonly failed: number;
    readonly error?: string;
  }[];
}

export function toAnswer({ stream, successful, failed, error }: UploadResult): UploadAnswer {
  return {
    code: 200,
    status: [{ name: stream, successful, failed, ...(error === undefined ? {} : { error }) }],
  };
}
