/** A stream's table. */
interface NamedTable {
  readonly database: string;
  readonly table: string;
}

/** A part of a table that the engine has set aside because it cannot read it. */
export interface DamagedPart extends NamedTable {
  /** The name that the engine gives it now, e.g. `broken-on-start_all_2_2_0`. */
  readonly part: string;
  readonly reason: string;
  /** The bytes that it takes on disk. How many rows it has is not known without reading it. */
  readonly bytes: number;
}

/** Tells how many rows a table has, as the engine counts them by its parts. */
export interface TableRows extends NamedTable {
  readonly streamId: string;
  readonly rows: number;
  /** Rows go by themselves: fewer than before are no loss. */
  readonly expires: boolean;
}

export abstract class TableHealth {
  /** Lists damaged parts in databases of organizations. */
  abstract damagedParts(): Promise<readonly DamagedPart[]>;
  /** Tells which table the engine has given a number. */
  abstract tableOf(
    tableId: string,
  ): Promise<(NamedTable & { readonly streamId: string }) | undefined>;
  /** The rows of streams' tables; undefined where a node may lag behind others, which is no loss. */
  abstract tableRows(): Promise<readonly TableRows[] | undefined>;
}
