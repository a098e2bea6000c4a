/** The place of a backup of tables. */
export type BackupPlace =
  /** An absolute path in a folder that the engine may write or read. */
  | { readonly folder: string }
  /** The place, as the engine's own statement names it: `S3('https://…', 'key', 'secret')`, `Disk('backups', 'monday')`. */
  | { readonly destination: string };

export interface BackupOptions {
  /** An earlier backup. Data that has not changed since is not copied again. */
  readonly base?: BackupPlace | undefined;
  readonly signal?: AbortSignal;
  /** Is called now and then with the progress. */
  readonly onProgress?: (progress: { readonly files: number; readonly bytes: number }) => void;
}

/** All tables of all organizations, and our own, by the engine's own BACKUP and RESTORE. */
export abstract class TableBackups {
  /**
   * Copies each table as it is at some moment of this call; an insert's rows are in the copy
   * completely or not at all.
   * @returns false when there are no tables, and so no copy
   * @throws {WarehouseError} when it fails; the files at the place are then no backup
   */
  abstract backUpTables(to: BackupPlace, options?: BackupOptions): Promise<boolean>;
  /**
   * Restores into a warehouse without tables. `base`: the current place of the backup on which this
   * one is based.
   */
  abstract restoreTables(from: BackupPlace, options?: BackupOptions): Promise<void>;
}
