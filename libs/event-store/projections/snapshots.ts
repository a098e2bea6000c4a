import type { RecordedEvent } from '../event.js';
import type { EventStore } from '../event-store.js';
import type { SnapshottedProjection } from './projection.js';
import type { Snapshot, SnapshotFiles } from './snapshot-files.js';

/** The projection's snapshot, if it can be used and belongs to this store's history. */
export async function usableSnapshot(
  files: SnapshotFiles,
  { name, snapshotVersion }: SnapshottedProjection,
  store: EventStore,
): Promise<Snapshot | undefined> {
  const snapshot = await files.load(name, snapshotVersion);
  return snapshot && (await isOf(snapshot, store)) ? snapshot : undefined;
}

/** @param last the last event that the projection has applied */
export async function keepSnapshot(
  files: SnapshotFiles,
  projection: SnapshottedProjection,
  { position, id, stream, revision }: RecordedEvent,
): Promise<void> {
  const { name, snapshotVersion } = projection;
  const state = projection.snapshot();
  if (state === undefined) return;
  await files.save(name, snapshotVersion, { position, event: { id, stream, revision }, state });
}

/**
 * If the store was replaced, or restored from a backup, the snapshot belongs to another history.
 */
async function isOf({ position, event }: Snapshot, store: EventStore): Promise<boolean> {
  const { id, stream, revision } = event;
  for await (const stored of store.read(stream, { from: revision, limit: 1 }))
    return stored.position === position && stored.id === id;
  return false;
}
