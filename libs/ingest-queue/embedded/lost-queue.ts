import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '@app/platform';

const GO_ON = 'start-without-queue';

/**
 * Refuses to begin with an empty queue where a queue has existed: it held records that were
 * acknowledged and not yet written. An operator who accepts the loss creates a file.
 * @param dataDirectory absolute; the queue is in its folder `queue`
 * @throws {Error} when the queue is not there and nobody has said so
 */
export function refuseLostQueue(dataDirectory: string): void {
  const directory = join(dataDirectory, 'queue');
  const goOn = join(dataDirectory, GO_ON);
  const isThere = (statSync(join(directory, 'data.mdb'), { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (isThere) return;
  if (!statSync(goOn, { throwIfNoEntry: false }))
    throw new OperatorError(
      `the ingest queue ${directory} is gone, and this installation had one: what was acknowledged and not written yet was in it. Restore it from the same backup as the rest of the data directory. To go on without it, make the file ${goOn}, which this start then takes away`,
    );
  rmSync(goOn);
}
