/** Files `<index>.native` that rows are written to, one after the other. */
export interface RowFiles {
  /** Absolute. */
  readonly directory: string;
  /** The first file, with the rows and bytes that it has already. */
  readonly index: number;
  readonly rows: number;
  readonly bytes: number;
  /** A file is full after the block that reaches one of these. */
  readonly rowsMax: number;
  readonly bytesMax: number;
}

/** The rows that were added to a file. */
export interface RowFile {
  readonly index: number;
  readonly rows: number;
  readonly bytes: number;
  readonly isFull: boolean;
}
