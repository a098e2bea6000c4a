import type { TableHold } from '@app/query';
import type { TableRegistry } from './table-registry.js';

/** Holds the current tables for a request. They belong to the one organization that exists here. */
export function holdTables(tables: Pick<TableRegistry, 'hold'>): TableHold {
  const { database, release } = tables.hold();
  return { organization: { id: 'edge', name: 'edge', database, share: 'edge' }, release };
}
