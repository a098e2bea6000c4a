import type { RequestOrganization } from '@app/platform';
import type { RejectedRemoval } from '@app/writer';
import type { Uploader } from '../store/stream-schemas.js';
import type { RejectedOf } from './rejected-records.js';

export interface RetryRequest {
  readonly organization: RequestOrganization;
  readonly stream: string;
  /** Undefined means the rejected records of all uploads. */
  readonly uploadId: string | undefined;
  readonly uploader: Uploader;
}

export const removalOf = ({ database, streamId }: RejectedOf): Omit<RejectedRemoval, 'rows'> => ({
  database,
  streamId,
});
