import type { TableHold } from '@app/query';
import type { TableRegistry } from './table-registry.js';

/** The tables as they are now, as those of the one organization that there is here. */
export function holdTables(tables: Pick<TableRegistry, 'hold'>): TableHold {
  const { database, release } = tables.hold();
  return { organization: { id: 'edge', name: 'edge', database, share: 'edge' }, release };
}
