import { access } from 'node:fs/promises';
import { basename } from 'node:path';
import type { QueuedRecord } from '@app/ingest-queue';
import type { BatchGroup } from './group-batches.js';

/** Somebody has deleted a file from the queue's folder, and waiting does not bring it back. */
export class LostPayloadError extends Error {
  constructor(file: string) {
    super(`its rows are lost: the file ${basename(file)} is gone from the queue's folder`);
    this.name = 'LostPayloadError';
  }
}

export async function isLost(payload: QueuedRecord['payload']): Promise<boolean> {
  if (!('file' in payload)) return false;
  return access(payload.file).then(
    () => false,
    (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT',
  );
}

/** @throws {LostPayloadError} when the rows of any of them are lost. */
export async function refuseLost(batches: BatchGroup['batches']): Promise<void> {
  for (const { record } of batches) {
    const { payload } = record;
    if ('file' in payload && (await isLost(payload))) throw new LostPayloadError(payload.file);
  }
}
