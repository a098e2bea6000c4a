import { MillraceError } from '@app/platform';
import type { WrittenTo } from './tail-source.js';

/**
 * The place of the first row that was not shown: a batch's offset in the queue, and the row's
 * number in it.
 */
export interface TailPlace {
  readonly offset: bigint;
  readonly row: number;
}

const ID = /^([\w-]{1,64})\.(\d{1,10})\.(\d{1,19})\.(\d{1,10})$/;

/** Writes the id with which a client that reconnects continues after an event. */
export const printEventId = (
  { streamId, partition }: WrittenTo,
  { offset, row }: TailPlace,
): string => `${streamId}.${partition}.${offset}.${row}`;

/** @throws {MillraceError} INVALID_PARAMETER for an id of another stream, or of another queue */
export function readEventId(id: string, { streamId, partition }: WrittenTo): TailPlace {
  const [, ofStream, ofPartition, offset = '', row = ''] = ID.exec(id) ?? [];
  if (ofStream === undefined)
    throw new MillraceError(
      'INVALID_PARAMETER',
      'Last-Event-ID is not the id of an event of a tail; send one as it came, or none',
    );
  if (ofStream !== streamId || Number(ofPartition) !== partition)
    throw new MillraceError(
      'INVALID_PARAMETER',
      'Last-Event-ID is of a stream that was deleted, or of a queue that is there no more; begin anew without it',
    );
  return { offset: BigInt(offset), row: Number(row) };
}
