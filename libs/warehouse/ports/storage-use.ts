/** Tells how much is kept, and on how much of a disk. */
export abstract class StorageUse {
  /** Bytes on disk by organization's database, rejected records too; the audit trail is ours and not counted. */
  abstract keptBytes(): Promise<ReadonlyMap<string, number>>;
  /** The disk with the least room, of those that tables are kept on. Bytes. */
  abstract disk(): Promise<{ readonly free: number; readonly size: number }>;
}
