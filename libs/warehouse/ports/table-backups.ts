/** Tells where a backup of tables is. */
export type BackupPlace =
  /** Absolute; what it is in is a folder that the engine may write or read. */
  | { readonly folder: string }
  /** The place, as the engine's own statement names it: `S3('https://…', 'key', 'secret')`, `Disk('backups', 'monday')`. */
  | { readonly destination: string };

export interface BackupOptions {
  /** An earlier backup: what has not changed since is not copied again. */
  readonly base?: BackupPlace | undefined;
  readonly signal?: AbortSignal;
  /** Is called now and then with the progress. */
  readonly onProgress?: (progress: { readonly files: number; readonly bytes: number }) => void;
}

/** All tables of all organizations, and our own, by the engine's own BACKUP and RESTORE. */
export abstract class TableBackups {
  /**
   * Copies each table as it is at some moment of this call: the rows of an insert are in the copy
   * all or not at all.
   * @returns false when there are no tables: then there is no copy
   * @throws {WarehouseError} when it fails; the files at the place are then no backup
   */
  abstract backUpTables(to: BackupPlace, options?: BackupOptions): Promise<boolean>;
  /** Into a warehouse without tables. `base`: where the backup is now that it was made with. */
  abstract restoreTables(from: BackupPlace, options?: BackupOptions): Promise<void>;
}
