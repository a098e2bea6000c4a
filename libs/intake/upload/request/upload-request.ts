import type { RequestOrganization } from '@app/platform';
import type { Uploader } from '../../store/stream-schemas.js';

export interface UploadRequest {
  readonly organization: RequestOrganization;
  readonly stream: string;
  /** Decoded. */
  readonly body: AsyncIterable<Buffer>;
  /** The length of the body, if it is known before it has come. */
  readonly bytes?: number | undefined;
  readonly format: UploadFormat;
  readonly maxRecordBytes: number;
  /** The most bytes of everything that is unpacked from it. */
  readonly maxBytes: number;
  readonly uploader: Uploader;
  /**
   * The key. If the same upload comes again with it, it is stored once and gets the same answer.
   */
  readonly idempotencyKey?: string;
  /** See `TakenUpload`. */
  readonly admitAnswer?: (bytes: number) => void;
}

/** `json`: an array, one object, or NDJSON. */
export type UploadFormat =
  | { readonly kind: 'json' }
  /** One JSON object a line, as the readers of other protocols write them. */
  | { readonly kind: 'lines' }
  | {
      readonly kind: 'csv';
      /** One character; undefined: it is guessed from the header. */
      readonly delimiter: string | undefined;
    }
  | { readonly kind: 'parquet' }
  /** Arrow's IPC format, of files or of streams. */
  | { readonly kind: 'arrow' }
  | {
      readonly kind: 'delta';
      /** The version of the table; undefined: the newest. */
      readonly version: number | undefined;
    };
