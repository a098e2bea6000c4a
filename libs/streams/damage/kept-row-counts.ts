import { readFileSync } from 'node:fs';
import { writeDurably } from '@app/files';
import type { TableRows } from '@app/warehouse';
import { z } from 'zod';

const stored = z.object({
  /** Tells whether it is from the end of a process, so that nothing was written after it. */
  closed: z.boolean(),
  tables: z.record(
    z.string(),
    z.object({ streamId: z.string(), rows: z.number(), missing: z.number() }),
  ),
});

interface Kept {
  readonly streamId: string;
  readonly rows: number;
  /** The number of rows that existed at an earlier look and not at the start after it. */
  readonly missing: number;
}

/**
 * Stores in a file how many rows each stream's table had at the last look: a part that is gone from
 * the disk leaves nothing else behind by which the engine could miss it. Streams only grow, unless
 * their rows expire, so fewer rows after a start are a loss.
 */
export class KeptRowCounts {
  private kept = new Map<string, Kept>();
  private closed = false;
  private written = '';

  /** @param file absolute; if it is missing or damaged, nothing is known */
  constructor(private readonly file: string) {
    try {
      const text = readFileSync(file, 'utf8');
      const { tables, closed } = stored.parse(JSON.parse(text));
      this.kept = new Map(Object.entries(tables));
      this.closed = closed;
      this.written = text;
    } catch {
      // The counts are only a second check: without them, nothing is compared this time.
    }
  }

  /**
   * Compares the kept counts with the tables. It must be called at start, before anything is
   * written.
   */
  compare(tables: readonly TableRows[]): void {
    for (const table of tables) {
      const kept = this.kept.get(keyOf(table));
      if (kept?.streamId !== table.streamId || table.expires) continue;
      const lost = kept.rows - table.rows;
      // Restored rows are not missing any more. After a kill, they may also be rows that were
      // written last.
      const missing = lost < 0 && !this.closed ? kept.missing : Math.max(0, kept.missing + lost);
      this.kept.set(keyOf(table), { ...kept, rows: table.rows, missing });
    }
  }

  /**
   * Stores the current counts.
   * @param aside tables that cannot be counted now, and may be again
   * @param closed whether nothing is written any more
   */
  async keep(
    tables: readonly TableRows[],
    aside: readonly Pick<TableRows, 'database' | 'table'>[],
    closed = false,
  ): Promise<void> {
    const next = tables.filter(({ expires }) => !expires);
    const away = new Set(aside.map(keyOf));
    this.kept = new Map([
      ...[...this.kept].filter(([key]) => away.has(key)),
      ...next.map((table) => {
        const { streamId, rows } = table;
        return [keyOf(table), { streamId, rows, missing: this.missing(table, streamId) }] as const;
      }),
    ]);
    const text = JSON.stringify({ closed, tables: Object.fromEntries(this.kept) });
    if (text === this.written) return;
    await writeDurably(this.file, text);
    this.written = text;
  }

  missing(table: Pick<TableRows, 'database' | 'table'>, streamId: string): number {
    const kept = this.kept.get(keyOf(table));
    return kept?.streamId === streamId ? kept.missing : 0;
  }

  /** The tables with missing rows. */
  *losses(): Iterable<{ readonly table: string; readonly missing: number }> {
    for (const [table, { missing }] of this.kept) if (missing > 0) yield { table, missing };
  }
}

const keyOf = ({ database, table }: Pick<TableRows, 'database' | 'table'>): string =>
  `${database}.${table}`;
