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
  /** Those whose type is known; the same list as long as nothing of it changes. */
  readonly within?: readonly FieldWithin[];
  /** Columns of text that `match_all` looks into. */
  readonly fullTextColumns?: readonly string[];
  /** Hidden columns by which rows of one time are in the order of their arrival. */
  readonly arrivalColumns?: readonly string[];
}

/** All that a statement may name and that has a type: columns, and fields within them. */
export const namedColumns = ({ columns, within = [] }: TableDescription): readonly Column[] =>
  within.length === 0 ? columns : [...columns, ...within];

/** Tells the planner the tables of one tenant. The app hands it in. */
export abstract class Catalog {
  /** Tells whether tables of a database stay what they are: where one changes, all are in another database. */
  readonly hasLastingTables: boolean = false;

  abstract tables(organization: RequestOrganization): readonly TableDescription[];
  abstract table(organization: RequestOrganization, name: string): TableDescription | undefined;

  /** Another text whenever the table's rows or columns are others; undefined where none can be told. */
  version(_organization: RequestOrganization, _name: string): Promise<string | undefined> {
    return Promise.resolve(undefined);
  }

  /** Resolves when what the statement may read is as new as what was answered before. */
  settled(_organization: RequestOrganization, _statement: string): Promise<void> {
    return Promise.resolve();
  }

  /** That there is no such table, as a statement's author is told; its place and a near name follow. */
  missing(organization: RequestOrganization, name: string): string {
    return `there is no stream ${JSON.stringify(name)} in organization ${organization.name}`;
  }
}
