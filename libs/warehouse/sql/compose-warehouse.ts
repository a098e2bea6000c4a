import type { Warehouse, WarehouseReader, WarehouseWriter } from '../warehouse.js';
import type { PersonKeyTable } from '../ports/person-key-table.js';
import type { SqlAuditTables } from './sql-audit-tables.js';
import type { TableBackups } from '../ports/table-backups.js';
import type { TableHealth } from '../ports/table-health.js';
import type { SqlSchema } from './sql-schema.js';

interface WarehouseComponents {
  readonly reader: WarehouseReader;
  readonly writer: WarehouseWriter;
  readonly schema: SqlSchema;
  readonly audit: SqlAuditTables;
  readonly keys: PersonKeyTable;
  readonly health: TableHealth;
  readonly backups: TableBackups;
}

/** Puts a warehouse together from its parts. */
export function composeWarehouse(
  { reader, writer, schema, audit, keys, health, backups }: WarehouseComponents,
  close: () => Promise<void>,
): Warehouse {
  return {
    stream: (query) => reader.stream(query),
    text: (query) => reader.text(query),
    claim: (partition, epoch) => writer.claim(partition, epoch),
    insert: (insert) => writer.insert(insert),
    storedOffsets: (table, partition, from, epoch) =>
      writer.storedOffsets(table, partition, from, epoch),
    newDatabase: () => schema.newDatabase(),
    createDatabase: (database) => schema.createDatabase(database),
    dropDatabase: (database) => schema.dropDatabase(database),
    databases: () => schema.databases(),
    createTable: (table, columns, streamId) => schema.createTable(table, columns, streamId),
    createRejectedTable: (database) => schema.createRejectedTable(database),
    addColumns: (table, columns) => schema.addColumns(table, columns),
    modifyColumns: (table, columns) => schema.modifyColumns(table, columns),
    dropUntyped: (table, names) => schema.dropUntyped(table, names),
    dropTable: (table) => schema.dropTable(table),
    columns: (table) => schema.columns(table),
    dropStreamTable: (table, streamId) => schema.dropStreamTable(table, streamId),
    setRetention: (table, days) => schema.setRetention(table, days),
    setSkipIndexes: (table, columns) => schema.setSkipIndexes(table, columns),
    setTextIndexes: (table, columns) => schema.setTextIndexes(table, columns),
    tables: () => schema.tables(),
    rejectedStreams: (database) => schema.rejectedStreams(database),
    dropRejected: (database, streamId) => schema.dropRejected(database, streamId),
    removeRejected: (database, streamId, rows) => schema.removeRejected(database, streamId, rows),
    statistics: (database, tables) => schema.statistics(database, tables),
    keptBytes: () => schema.keptBytes(),
    disk: () => schema.disk(),
    version: (table) => schema.version(table),
    createAuditTable: (database) => audit.createAuditTable(database),
    claimAudit: () => audit.claimAudit(),
    holdsAudit: () => audit.holdsAudit(),
    isChanging: (database) => audit.isChanging(database),
    appendAudit: (database, rows) => audit.appendAudit(database, rows),
    lastAudit: (database) => audit.lastAudit(database),
    lastAuditPosition: () => audit.lastAuditPosition(),
    lastAuditPositions: () => audit.lastAuditPositions(),
    auditPage: (database, filter) => audit.auditPage(database, filter),
    namesOfStreams: (database, streams) => audit.namesOfStreams(database, streams),
    auditAfter: (database, position, limit) => audit.auditAfter(database, position, limit),
    eraseFromAudit: (database, personIds) => audit.eraseFromAudit(database, personIds),
    dropAuditTable: (database) => audit.dropAuditTable(database),
    truncateAudit: (database, position) => audit.truncateAudit(database, position),
    wrappedKeys: (personId) => keys.wrappedKeys(personId),
    addWrappedKey: (key) => keys.addWrappedKey(key),
    dropWrappedKeys: (personId, but) => keys.dropWrappedKeys(personId, but),
    asideTables: () => health.asideTables(),
    damagedParts: () => health.damagedParts(),
    tableOf: (tableId) => health.tableOf(tableId),
    tableRows: () => health.tableRows(),
    backUpTables: (to, options) => backups.backUpTables(to, options),
    restoreTables: (from, options) => backups.restoreTables(from, options),
    close,
  };
}
