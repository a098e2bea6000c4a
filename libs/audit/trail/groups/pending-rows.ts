import type { AuditRow } from '@app/warehouse';
import { dueGroups } from './due-groups.js';

/** The rows of trails that are not in their tables yet. */
export class PendingRows {
  private readonly rows = new Map<string, AuditRow[]>();
  private sum = 0;

  /** Tells how many rows of all trails there are. */
  get count(): number {
    return this.sum;
  }

  add(database: string, row: AuditRow): void {
    const rows = this.rows.get(database) ?? [];
    rows.push(row);
    this.rows.set(database, rows);
    this.sum += 1;
  }

  /** The rows of one trail, as they are now. */
  of(database: string): readonly AuditRow[] {
    return [...(this.rows.get(database) ?? [])];
  }

  /** Trails to write, the longest first, so that at most so many rows are left. */
  due(left: number): readonly string[] {
    return dueGroups(this.rows, this.sum - left).map(([database]) => database);
  }

  /** The first rows of a trail are in its table. */
  written(database: string, count: number): void {
    const rows = this.rows.get(database);
    if (!rows) return;
    this.sum -= rows.splice(0, count).length;
    if (rows.length === 0) this.rows.delete(database);
  }

  /** Nobody needs the rows of this trail any more. */
  forget(database: string): void {
    this.sum -= this.rows.get(database)?.length ?? 0;
    this.rows.delete(database);
  }
}
