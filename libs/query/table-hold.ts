import type { RequestOrganization } from '@app/platform';

/** Tables as they were when a statement came, until they are released. */
export interface TableHold {
  readonly organization: RequestOrganization;
  /** May be called more than once. */
  readonly release: () => void;
}
