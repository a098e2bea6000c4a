import type { QueuePosition } from '@app/ingest-queue';
import type { RequestOrganization } from '@app/platform';
import type { Uploader } from '../store/stream-schemas.js';
import type { BulkItems, RefusedStreams, Rejections } from './bulk-items.js';

export interface BulkRequest {
  readonly organization: RequestOrganization;
  /** The stream of actions that name none. */
  readonly defaultStream: string | undefined;
  /** Decoded. */
  readonly body: AsyncIterable<Buffer>;
  readonly maxRecordBytes: number;
  readonly uploader: Uploader;
  /**
   * The key. If the same request comes again with it, it is stored once and gets the same answer.
   */
  readonly idempotencyKey?: string;
  /** See `TakenUpload`. */
  readonly admitAnswer?: (bytes: number) => void;
}

export interface BulkResult {
  readonly items: BulkItems;
  readonly rejections: Rejections;
  readonly refused: RefusedStreams;
  /**
   * The positions of its batches in the queue; undefined: it was stored before, at unknown
   * positions.
   */
  readonly positions: readonly QueuePosition[] | undefined;
}
