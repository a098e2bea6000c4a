/** Reports how much is stored, and on what size of disk. */
export abstract class StorageUse {
  /** Bytes on disk by organization's database, rejected records too; the audit trail is ours and not counted. */
  abstract keptBytes(): Promise<ReadonlyMap<string, number>>;
  /** The bytes of the disk with the least room, among those with tables. */
  abstract disk(): Promise<{ readonly free: number; readonly size: number }>;
}
