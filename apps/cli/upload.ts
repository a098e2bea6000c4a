import type { OwnSlice } from './cut/slice.js';
import { slicesOf } from './cut/slices-of-file.js';
import type { UploadedFile } from './begun-uploads.js';
import type { SliceOutcome } from './send-slice.js';

const PARTS_AT_ONCE = 4;

export interface UploadSum {
  readonly stored: number;
  readonly rejected: number;
  /** Files of which all is sent. */
  readonly whole: number;
  /** The first reason, with the slice it is of. */
  readonly reason: string | undefined;
}

/**
 * Sends all slices of all files, a few at a time. When a slice fails for good, or `stop` says so,
 * no further slice is begun, and those on their way still arrive.
 * @throws what the first slice that failed threw
 */
export async function uploadFiles(
  files: readonly UploadedFile[],
  send: (slice: OwnSlice) => Promise<SliceOutcome>,
  stop: AbortSignal,
): Promise<UploadSum> {
  const sum = { stored: 0, rejected: 0, whole: 0, reason: undefined as string | undefined };
  const sending = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const begin = (slice: OwnSlice): void => {
    const work = send(slice)
      .then(({ successful, failed, error }) => {
        sum.stored += successful;
        sum.rejected += failed;
        // A file with a header alone has an error too, and nothing that was rejected.
        if (failed > 0 && error !== undefined)
          sum.reason ??= `${slice.name}, from byte ${slice.offset}: ${error}`;
      })
      .catch((error: unknown) => void failures.push(error))
      .finally(() => sending.delete(work));
    sending.add(work);
  };
  /**
   * The first slice is sent alone: it may have to make the stream, and the stream's columns are
   * then the same each time.
   */
  let first: Promise<unknown> | undefined;
  try {
    for await (const slice of allSlices(files, () => (sum.whole += 1))) {
      if (stop.aborted || failures.length > 0) break;
      begin(slice);
      first ??= Promise.all(sending);
      await first;
      while (sending.size >= PARTS_AT_ONCE) await Promise.race(sending);
    }
  } finally {
    await Promise.all(sending);
  }
  if (failures.length > 0) throw failures[0];
  return sum;
}

async function* allSlices(
  files: readonly UploadedFile[],
  onEnd: () => void,
): AsyncGenerator<OwnSlice> {
  for (const file of files) {
    for await (const slice of slicesOf(file)) yield { ...slice, uploadId: file.uploadId };
    onEnd();
  }
}
