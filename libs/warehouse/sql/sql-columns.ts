import { additions, drops, renamings, UNTYPED } from '../ddl/column-changes.js';
import type { Ddl } from '../ddl/ddl.js';
import { namesAbove } from '../ddl/names-above.js';
import type { Column, TableName } from '../warehouse.js';
import { ColumnMismatchError } from '../warehouse-errors.js';
import type { SqlRunner } from './sql-runner.js';

/** The visible columns. A server may have other databases, which must not be shown here. */
export const columnsOf = (databases: string): string =>
  `SELECT database, table, name, if(default_kind = 'ALIAS', '${UNTYPED}', type) AS type FROM system.columns WHERE default_kind != 'MATERIALIZED' AND ${databases}`;

const COLUMNS = `${columnsOf('database = {database:String}')} AND table = {table:String} ORDER BY position`;

/**
 * A statement for one column of a wide table takes a second, and another second for each twenty
 * more.
 */
const MODIFIED_AT_ONCE = 200;

const ZONELESS = /\bDateTime64\((\d)\)/;

/** The columns of stream tables, and their changes. */
export class SqlColumns {
  constructor(
    private readonly runner: SqlRunner,
    private readonly ddl: Ddl,
  ) {}

  async columns({ database, table }: TableName): Promise<readonly Column[]> {
    const rows = await this.runner.rows<Column>(COLUMNS, { database, table });
    return rows.map(({ name, type }) => ({ name, type }));
  }

  /**
   * Adds the columns that are missing, and gives a type to those without one. May be called again,
   * also after an interruption.
   * @throws {ColumnMismatchError} when the engine reported success, and the table has other columns
   */
  async add(table: TableName, wanted: readonly Column[]): Promise<void> {
    if (wanted.length === 0) return;
    for (const each of this.ddl.tablesOf(table)) {
      const present = new Map((await this.columns(each)).map(({ name, type }) => [name, type]));
      const added = wanted.filter(({ name, type }) => {
        const now = present.get(name);
        return now === undefined || (now === UNTYPED && type !== UNTYPED);
      });
      if (added.length === 0) continue;
      await this.addTo(each, new Set(present.keys()), added);
      await this.check(each, added);
    }
  }

  /**
   * Changes a column's type. A day becomes a time without zone through a time in UTC: the engine
   * would otherwise take midnight in the server's own zone, whatever the statement says.
   * @throws {ColumnMismatchError} when the engine reported success, and the table has other columns
   */
  async modify(table: TableName, columns: readonly Column[]): Promise<void> {
    if (columns.length === 0) return;
    for (const each of this.ddl.tablesOf(table)) {
      const types = new Map((await this.columns(each)).map(({ name, type }) => [name, type]));
      // Columns that an earlier attempt has changed are left out.
      const others = columns.filter(({ name, type }) => types.get(name) !== type);
      for (let from = 0; from < others.length; from += MODIFIED_AT_ONCE)
        await this.modifySome(each, others.slice(from, from + MODIFIED_AT_ONCE));
      await this.check(each, columns);
    }
  }

  private async modifySome(table: TableName, columns: readonly Column[]): Promise<void> {
    const ofUtc = columns
      .filter(({ type }) => ZONELESS.test(type))
      .map(({ name, type }) => ({ name, type: type.replace(ZONELESS, "DateTime64($1, 'UTC')") }));
    if (ofUtc.length > 0) await this.runner.command(this.ddl.modifyColumns(table, ofUtc));
    await this.runner.command(this.ddl.modifyColumns(table, columns));
  }

  /** Drops those of the columns that have no type and no values. */
  async dropUntyped(table: TableName, names: readonly string[]): Promise<void> {
    for (const each of this.ddl.tablesOf(table)) {
      const untyped = (await this.columns(each)).filter(({ type }) => type === UNTYPED);
      const dropped = untyped.map(({ name }) => name).filter((name) => names.includes(name));
      if (dropped.length > 0)
        await this.runner.command(this.ddl.changeColumns(each, drops(dropped)));
    }
  }

  /**
   * The engine does not add `a` if there is an `a.b`, because it treats `a.b` as a part of `a` and
   * skips the addition. Such a column is added under another name and then renamed.
   */
  private async addTo(
    table: TableName,
    present: ReadonlySet<string>,
    added: readonly Column[],
  ): Promise<void> {
    const parents = new Set([...present].flatMap(namesAbove));
    const places = added.map(({ name, type }) => {
      const late = parents.has(name) && !present.has(name);
      for (const parent of namesAbove(name)) parents.add(parent);
      return { name, column: { name: late ? provisionalName(name) : name, type } };
    });
    const columns = places.map(({ column }) => column);
    // The type of a column under a provisional name is from before the change was interrupted.
    const untyped = new Set(added.map(({ name }) => name).filter((name) => present.has(name)));
    await this.runner.command(this.ddl.changeColumns(table, additions(columns, untyped)));
    const late = places.filter(({ name, column }) => name !== column.name);
    if (late.length === 0) return;
    const names = late.map(({ name, column }) => ({ from: column.name, to: name }));
    await this.runner.command(this.ddl.changeColumns(table, renamings(names)));
  }

  private async check(table: TableName, wanted: readonly Column[]): Promise<void> {
    const types = new Map((await this.columns(table)).map(({ name, type }) => [name, type]));
    const missing = wanted.filter(({ name, type }) => types.get(name) !== type);
    if (missing.length > 0) throw new ColumnMismatchError(table, missing);
  }
}

/**
 * No field has this name, and the engine allows renaming it, because it has a dot and the same text
 * before the dot.
 */
function provisionalName(name: string): string {
  const dot = name.indexOf('.');
  return dot > 0 && dot === name.length - 1 ? `\u0001${name}` : `${name}\u0001`;
}
