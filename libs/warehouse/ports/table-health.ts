/** A stream's table. */
interface NamedTable {
  readonly database: string;
  readonly table: string;
}

/** A part of a table that the engine has set aside because it cannot read it. */
export interface DamagedPart extends NamedTable {
  /** The name that the engine now gives it, e.g. `broken-on-start_all_2_2_0`. */
  readonly part: string;
  readonly reason: string;
  /** The bytes that it takes on disk. The number of its rows cannot be known without reading it. */
  readonly bytes: number;
}

/** The number of rows of a table, which the engine knows from its parts. */
export interface TableRows extends NamedTable {
  readonly streamId: string;
  readonly rows: number;
  /** Rows of the table expire, so a smaller number is no loss. */
  readonly expires: boolean;
}

/** A table that the engine cannot load by its definition, and goes on without. */
export interface AsideTable extends NamedTable {
  /** The definition, where it lies now. */
  readonly file: string;
  readonly reason: string;
}

export abstract class TableHealth {
  /** Lists tables that cannot be loaded, since this process has started its engine. */
  abstract asideTables(): readonly AsideTable[];
  /** Lists damaged parts in databases of organizations. */
  abstract damagedParts(): Promise<readonly DamagedPart[]>;
  /** Finds the table to which the engine has given a number. */
  abstract tableOf(
    tableId: string,
  ): Promise<(NamedTable & { readonly streamId: string }) | undefined>;
  /**
   * The numbers of rows of streams' tables; undefined if a node may lag behind others, which is no
   * loss.
   */
  abstract tableRows(): Promise<readonly TableRows[] | undefined>;
}
