import type { QueuePosition } from '@app/ingest-queue';
import { MillraceError } from '@app/platform';
import { type AcceptedChunk, plainReason, type Rejection } from '@app/acceptance';
import type { RecordUnit } from '../../frame/frame-records.js';

export interface UploadResult {
  readonly stream: string;
  readonly successful: number;
  readonly failed: number;
  /** The first reason, with its line. */
  readonly error: string | undefined;
  /** The position of its last batch in the queue; undefined when nothing was stored. */
  readonly position: QueuePosition | undefined;
  /** The position of its first batch, if it was put there just now. */
  readonly first?: QueuePosition | undefined;
  /** Each rejection, if the upload asks for them. */
  readonly rejections?: readonly Rejection[];
}

/**
 * Sums up an upload.
 * @throws {MillraceError} MALFORMED_BODY when no line of it was a record at all.
 */
export function resultOf(
  stream: string,
  chunks: readonly AcceptedChunk[],
  unit: RecordUnit,
): Omit<UploadResult, 'position'> {
  const counts = countsOf(stream, chunks);
  const rejected = chunks.flatMap((chunk) => (chunk.rejected ? [chunk.rejected] : []));
  const [first] = rejected;
  const error = first && describe(first.first, unit);
  if (
    error !== undefined &&
    counts.successful === 0 &&
    rejected.every((chunk) => chunk.structural)
  ) {
    throw new MillraceError('MALFORMED_BODY', `nothing in the body can be stored: ${error}`);
  }
  return { ...counts, error };
}

/** Sums up an upload that lists each rejection. */
export function countsOf(
  stream: string,
  chunks: readonly AcceptedChunk[],
): Omit<UploadResult, 'position'> {
  const sum = (count: (chunk: AcceptedChunk) => number): number =>
    chunks.reduce((total, chunk) => total + count(chunk), 0);
  return {
    stream,
    successful: sum((chunk) => chunk.accepted?.rows ?? 0),
    failed: sum((chunk) => chunk.rejected?.rows ?? 0),
    error: undefined,
  };
}

function describe({ line, reason }: Rejection, unit: RecordUnit): string {
  return `${unit} ${line}: ${plainReason(reason)}`;
}
