import { OUR_DATABASES, type Ddl } from '../ddl/ddl.js';
import type { AsideTable, DamagedPart, TableHealth, TableRows } from '../ports/table-health.js';
import type { TableName } from '../warehouse.js';
import type { SqlRunner } from './sql-runner.js';

/**
 * A part that was detached by hand has no reason, and one that the engine has only moved aside has
 * another reason.
 */
const BROKEN = "reason LIKE 'broken%'";

/** Reads the engine's own lists, and no table. */
export class SqlTableHealth implements TableHealth {
  constructor(
    private readonly runner: SqlRunner,
    private readonly ddl: Ddl,
    /** A server loads its tables by itself. */
    private readonly aside: () => readonly AsideTable[] = () => [],
  ) {}

  asideTables(): readonly AsideTable[] {
    return this.aside();
  }

  damagedParts(): Promise<readonly DamagedPart[]> {
    // The table of a shard is in the organization's database with another first letter.
    return this.runner.rows<DamagedPart>(
      `SELECT replaceRegexpOne(database, '^s_', 'o_') AS database, table, name AS part, ifNull(reason, '') AS reason, toFloat64(ifNull(bytes_on_disk, 0)) AS bytes
       FROM ${this.ddl.detachedParts} WHERE ${OUR_DATABASES} AND ${BROKEN} ORDER BY database, table, part`,
    );
  }

  async tableOf(tableId: string) {
    const [found] = await this.runner.rows<TableName & { readonly streamId: string }>(
      `SELECT replaceRegexpOne(database, '^s_', 'o_') AS database, name AS table, comment AS streamId FROM system.tables WHERE toString(uuid) = {tableId:String}`,
      { tableId },
    );
    return found;
  }

  async tableRows(): Promise<readonly TableRows[] | undefined> {
    if (this.ddl.cluster !== undefined) return undefined;
    const rows = await this.runner.rows<Omit<TableRows, 'expires'> & { expires: number }>(
      `SELECT t.database AS database, t.name AS table, any(t.comment) AS streamId, toFloat64(sum(p.rows)) AS rows, max(position(t.engine_full, ' TTL ') > 0) AS expires
       FROM system.tables AS t LEFT JOIN (SELECT database, table, rows FROM system.parts WHERE active) AS p ON p.database = t.database AND p.table = t.name
       WHERE ${OUR_DATABASES.replaceAll('database', 't.database')} AND NOT startsWith(t.name, '_') GROUP BY t.database, t.name`,
    );
    return rows.map((row) => ({ ...row, expires: row.expires > 0 }));
  }
}
