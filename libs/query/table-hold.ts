import type { RequestOrganization } from '@app/platform';

/** The tables as they were when a statement arrived, until they are released. */
export interface TableHold {
  readonly organization: RequestOrganization;
  /** May be called more than once. */
  readonly release: () => void;
}
