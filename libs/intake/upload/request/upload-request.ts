import type { RequestOrganization } from '@app/platform';
import type { Uploader } from '../../store/stream-schemas.js';

export interface UploadRequest {
  readonly organization: RequestOrganization;
  readonly stream: string;
  /** Decoded. */
  readonly body: AsyncIterable<Buffer>;
  readonly format: UploadFormat;
  readonly maxRecordBytes: number;
  /** The most bytes of all that is unpacked from it. */
  readonly maxBytes: number;
  readonly uploader: Uploader;
  /** The same upload again under the same key is stored once and answered alike. */
  readonly idempotencyKey?: string;
}

/** `json`: an array, one object, or NDJSON. */
export type UploadFormat =
  | { readonly kind: 'json' }
  /** One JSON object a line, as what reads another protocol has written them. */
  | { readonly kind: 'lines' }
  | {
      readonly kind: 'csv';
      /** One character; undefined: found out from the header. */
      readonly delimiter: string | undefined;
    }
  | { readonly kind: 'parquet' }
  /** Its IPC format, of files or of streams. */
  | { readonly kind: 'arrow' }
  | {
      readonly kind: 'delta';
      /** The version of the table; undefined: the newest. */
      readonly version: number | undefined;
    };
