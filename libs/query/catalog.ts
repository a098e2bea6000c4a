import type { RequestOrganization } from '@app/platform';
import type { Column } from '@app/warehouse';

export interface TableDescription {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Columns of text that `match_all` looks into. */
  readonly fullTextColumns?: readonly string[];
  /** Hidden columns by which rows of one time are in the order of their arrival. */
  readonly arrivalColumns?: readonly string[];
}

/** What the planner may know: the tables of one tenant. Handed in by the app. */
export abstract class Catalog {
  abstract tables(organization: RequestOrganization): readonly TableDescription[];
  abstract table(organization: RequestOrganization, name: string): TableDescription | undefined;

  /** Another text whenever the table's rows or columns are others; undefined where none can be told. */
  version(_organization: RequestOrganization, _name: string): Promise<string | undefined> {
    return Promise.resolve(undefined);
  }

  /** That there is no such table, as a statement's author is told; its place and a near name follow. */
  missing(organization: RequestOrganization, name: string): string {
    return `there is no stream ${JSON.stringify(name)} in organization ${organization.name}`;
  }
}
