import { AUDIT_TABLE, REJECTED_TABLE } from '../../ddl/ddl.js';
import { TableAsideError } from '../../warehouse-errors.js';
import type { TableName, Warehouse } from '../../warehouse.js';
import type { DefinitionsAside } from './definitions-aside.js';

/**
 * The warehouse as long as tables are set aside. None is made in the place of such a table, which
 * would hide its rows for good, and none is taken for empty. Whatever drops a table drops it there,
 * too.
 */
export function withoutAside(warehouse: Warehouse, aside: DefinitionsAside): Warehouse {
  const has = (table: TableName): boolean => aside.find(table) !== undefined;
  const checked = async <T>(table: TableName, work: () => Promise<T>): Promise<T> => {
    if (has(table)) throw new TableAsideError(table.table);
    return work();
  };
  const ofTrail = <T>(database: string, work: () => Promise<T>): Promise<T> =>
    checked({ database, table: AUDIT_TABLE }, work);
  const rejected = (database: string): TableName => ({ database, table: REJECTED_TABLE });
  const others = {
    createTable: (table, columns, streamId) =>
      checked(table, () => warehouse.createTable(table, columns, streamId)),
    storedOffsets: (table, partition, from, epoch) =>
      checked(table, () => warehouse.storedOffsets(table, partition, from, epoch)),
    insert: (insert) => checked(insert.table, () => warehouse.insert(insert)),
    // It is there, and what is to go into it becomes dead letters.
    createRejectedTable: async (database) => {
      if (has(rejected(database))) return;
      await warehouse.createRejectedTable(database);
      aside.made(rejected(database));
    },
    // Each start drops the records of deleted streams that are left.
    dropRejected: async (database, streamId) => {
      if (!has(rejected(database))) await warehouse.dropRejected(database, streamId);
    },
    removeRejected: (database, streamId, rows) =>
      checked(rejected(database), () => warehouse.removeRejected(database, streamId, rows)),
    dropTable: async (table) => {
      aside.forget(table);
      await warehouse.dropTable(table);
    },
    dropStreamTable: async (table, streamId) => {
      aside.forget(table, streamId);
      await warehouse.dropStreamTable(table, streamId);
    },
    dropDatabase: async (database) => {
      // A start drops a database that is left, and would not know of definitions of one that is gone.
      aside.forgetDatabase(database);
      await warehouse.dropDatabase(database);
    },
    createAuditTable: async (database) => {
      await ofTrail(database, () => warehouse.createAuditTable(database));
      aside.made({ database, table: AUDIT_TABLE });
    },
    appendAudit: (database, rows) => ofTrail(database, () => warehouse.appendAudit(database, rows)),
    lastAudit: (database) => ofTrail(database, () => warehouse.lastAudit(database)),
    auditPage: (database, filter) => ofTrail(database, () => warehouse.auditPage(database, filter)),
    namesOfStreams: (database, streams) =>
      ofTrail(database, () => warehouse.namesOfStreams(database, streams)),
    auditAfter: (database, position, limit) =>
      ofTrail(database, () => warehouse.auditAfter(database, position, limit)),
    eraseFromAudit: (database, personIds) =>
      ofTrail(database, () => warehouse.eraseFromAudit(database, personIds)),
    truncateAudit: (database, position) =>
      ofTrail(database, () => warehouse.truncateAudit(database, position)),
    dropAuditTable: async (database) => {
      aside.forget({ database, table: AUDIT_TABLE });
      await warehouse.dropAuditTable(database);
    },
  } satisfies Partial<Warehouse>;
  return { ...(warehouse as Pick<Warehouse, keyof Warehouse>), ...others };
}
