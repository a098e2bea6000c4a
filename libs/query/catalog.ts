import type { RequestOrganization } from '@app/platform';
import type { Column } from '@app/warehouse';

/** A field within the objects of a column, which statements name as they name columns. */
export interface FieldWithin extends Column {
  readonly column: string;
  readonly keys: readonly string[];
  /** @param path SQL of the path, as `k.n`. @returns SQL of its values, of the field's type */
  readonly write: (path: string) => string;
}

export interface TableDescription {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The fields with a known type. The list is the same object as long as it does not change. */
  readonly within?: readonly FieldWithin[];
  /** The types that sources gave columns of JSON, by their names: structs, maps, and lists of them. */
  readonly given?: ReadonlyMap<string, string>;
  /** The columns of text that `match_all` searches. */
  readonly fullTextColumns?: readonly string[];
  /** Hidden columns that order rows of the same time by their arrival. */
  readonly arrivalColumns?: readonly string[];
}

/** All columns and fields that a statement may name and that have a type. */
export const namedColumns = ({ columns, within = [] }: TableDescription): readonly Column[] =>
  within.length === 0 ? columns : [...columns, ...within];

/** Tells the planner the tables of one tenant. The app hands it in. */
export abstract class Catalog {
  /**
   * Tells whether tables of a database never change. If a table changes, all tables move to another
   * database.
   */
  readonly hasLastingTables: boolean = false;

  abstract tables(organization: RequestOrganization): readonly TableDescription[];
  abstract table(organization: RequestOrganization, name: string): TableDescription | undefined;

  /**
   * A text that changes whenever rows or columns of the tables change; undefined if there is no
   * such text.
   */
  version(_organization: RequestOrganization, _name: string): Promise<string | undefined> {
    return Promise.resolve(undefined);
  }

  /** Resolves when the statement will read everything that was acknowledged before. */
  settled(_organization: RequestOrganization, _statement: string): Promise<void> {
    return Promise.resolve();
  }

  /**
   * The beginning of the message that a table does not exist. Its place and a similar name follow.
   */
  missing(organization: RequestOrganization, name: string): string {
    return `there is no stream ${JSON.stringify(name)} in organization ${organization.name}`;
  }
}
