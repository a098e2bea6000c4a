import type { RequestOrganization } from '@app/platform';
import type { Column } from '@app/warehouse';

export interface TableDescription {
  readonly name: string;
  readonly columns: readonly Column[];
}

/** What the planner may know: the tables of one tenant. Handed in by the app. */
export abstract class Catalog {
  abstract tables(organization: RequestOrganization): readonly TableDescription[];
  abstract table(organization: RequestOrganization, name: string): TableDescription | undefined;
}
