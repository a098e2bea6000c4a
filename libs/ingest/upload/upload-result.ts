import type { QueuePosition } from '@app/ingest-queue';
import { MillraceError } from '@app/platform';
import type { AcceptedChunk, Rejection } from '../accept/chunk.js';
import { STRUCTURAL } from '../accept/judge-records.js';
import type { RecordUnit } from './frame-records.js';

export interface UploadResult {
  readonly stream: string;
  readonly successful: number;
  readonly failed: number;
  /** The first reason, with its line. */
  readonly error: string | undefined;
  /** Where its last batch is in the queue; undefined when nothing was stored. */
  readonly position: QueuePosition | undefined;
}

/**
 * Sums up an upload.
 * @throws {MillraceError} MALFORMED_BODY when nothing in it was a record at all.
 */
export function resultOf(
  stream: string,
  chunks: readonly AcceptedChunk[],
  unit: RecordUnit,
): Omit<UploadResult, 'position'> {
  const sum = (count: (chunk: AcceptedChunk) => number): number =>
    chunks.reduce((total, chunk) => total + count(chunk), 0);
  const successful = sum((chunk) => chunk.accepted?.rows ?? 0);
  const failed = sum((chunk) => chunk.rejected?.rows ?? 0);
  const rejected = chunks.flatMap((chunk) => (chunk.rejected ? [chunk.rejected] : []));
  const [first] = rejected;
  const error = first && describe(first.first, unit);
  if (error !== undefined && successful === 0 && rejected.every((chunk) => chunk.structural)) {
    throw new MillraceError('MALFORMED_BODY', `nothing in the body can be stored: ${error}`);
  }
  return { stream, successful, failed, error };
}

function describe({ line, reason }: Rejection, unit: RecordUnit): string {
  const text = reason.startsWith(STRUCTURAL) ? reason.slice(STRUCTURAL.length) : reason;
  return `${unit} ${line}: ${text}`;
}
