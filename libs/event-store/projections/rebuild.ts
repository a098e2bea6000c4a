import { partsOf, type RecordedEvent } from '../event.js';
import type { EventStore } from '../event-store.js';
import { isSnapshotted, type Projection } from './projection.js';
import { keepSnapshot, usableSnapshot } from './snapshots.js';
import type { SnapshotFiles } from './snapshot-files.js';

interface RebuildOptions {
  /** Events up to here may be taken from a snapshot. With 0 nothing is taken on trust. */
  readonly from: bigint;
  /** Called after each event. */
  onProgress(this: void, position: bigint): void;
}

/**
 * Makes one projection again out of the events, on an instance that has applied nothing, and
 * keeps the snapshot of it, unless an event was passed over that a later program may understand.
 * @returns how many events were replayed
 */
export async function rebuild(
  store: EventStore,
  projection: Projection,
  snapshots: SnapshotFiles,
  { from, onProgress }: RebuildOptions,
): Promise<number> {
  await projection.starting?.();
  let after = 0n;
  if (isSnapshotted(projection)) {
    const snapshot = await usableSnapshot(snapshots, projection, store);
    if (snapshot && snapshot.position <= from) {
      projection.restore(snapshot.state);
      after = snapshot.position;
    }
  } else if (projection.resumeAfter) {
    after = await projection.resumeAfter((await store.lastPosition()) ?? 0n);
  }
  let count = 0;
  let last: RecordedEvent | undefined;
  let isWhole = true;
  for await (const event of store.readAll({ after })) {
    for (const part of partsOf(event)) await projection.apply(part);
    last = event;
    isWhole &&= event.notUnderstood === undefined;
    count += 1;
    onProgress(event.position);
  }
  await projection.caughtUp?.();
  if (last && isWhole && isSnapshotted(projection)) await keepSnapshot(snapshots, projection, last);
  return count;
}
