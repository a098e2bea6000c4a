import { whyNoRoom, type Room } from './fair-room.js';
import { QueueFullError } from './ingest-queue.js';

/** @throws {QueueFullError} when the queue has no room for it */
export function admit(room: Room): void {
  const { maxBytes, waiting, own } = room;
  const none = whyNoRoom(room);
  if (none === undefined) return;
  throw new QueueFullError(
    none === 'full'
      ? `the ingest queue holds about ${waiting} bytes of at most ${maxBytes}`
      : `${own} bytes of this organization wait in the ingest queue already; as many as wait must stay free for others`,
  );
}
