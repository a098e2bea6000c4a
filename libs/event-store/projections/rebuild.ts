import { stepsOf, type RecordedEvent } from '../event.js';
import type { EventStore } from '../event-store.js';
import { isSnapshotted, type Projection } from './projection.js';
import { keepSnapshot, usableSnapshot } from './snapshots.js';
import type { SnapshotFiles } from './snapshot-files.js';

interface RebuildOptions {
  /** Events up to there may come from its snapshot. With 0, no snapshot is used. */
  from(this: void, projection: Projection): bigint;
  /** Is called after each event. */
  onProgress(this: void, position: bigint): void;
}

interface Rebuilt {
  readonly projection: Projection;
  readonly after: bigint;
  count: number;
}

/**
 * Makes projections again out of the events, on instances that have applied nothing, and keeps
 * snapshots of them, unless an event was passed over that a later program may understand. The events
 * are read once for all of them, which get each in their order.
 * @returns how many events were replayed to each
 */
export async function rebuild(
  store: EventStore,
  projections: readonly Projection[],
  snapshots: SnapshotFiles,
  { from, onProgress }: RebuildOptions,
): Promise<readonly number[]> {
  const rebuilt: Rebuilt[] = [];
  for (const projection of projections) {
    await projection.starting?.();
    const after = await begin(store, projection, snapshots, from(projection));
    rebuilt.push({ projection, after, count: 0 });
  }
  let last: RecordedEvent | undefined;
  let isWhole = true;
  const first = rebuilt.map((each) => each.after).sort((a, b) => (a < b ? -1 : 1))[0];
  for await (const event of store.readAll({ after: first ?? 0n })) {
    for (const each of rebuilt) {
      if (event.position <= each.after) continue;
      for (const step of stepsOf(event)) {
        const applying = each.projection.apply(step);
        if (applying) await applying;
      }
      each.count += 1;
    }
    last = event;
    isWhole &&= event.notUnderstood === undefined;
    onProgress(event.position);
  }
  for (const { projection, count } of rebuilt) {
    await projection.caughtUp?.();
    if (last && count > 0 && isWhole && isSnapshotted(projection))
      await keepSnapshot(snapshots, projection, last);
  }
  return rebuilt.map(({ count }) => count);
}

/** @returns the position up to which it has everything */
async function begin(
  store: EventStore,
  projection: Projection,
  snapshots: SnapshotFiles,
  from: bigint,
): Promise<bigint> {
  if (!isSnapshotted(projection))
    return (await projection.resumeAfter?.((await store.lastPosition()) ?? 0n)) ?? 0n;
  const snapshot = await usableSnapshot(snapshots, projection, store);
  if (!snapshot || snapshot.position > from) return 0n;
  projection.restore(snapshot.state);
  return snapshot.position;
}
