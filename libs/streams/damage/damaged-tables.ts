import { Semaphore } from '@app/flow';
import { gauge } from '@app/platform';
import {
  AUDIT_TABLE,
  REJECTED_TABLE,
  toWarehouseError,
  unreadablePart,
  type DamagedPart,
  type TableHealth,
  type TableName,
} from '@app/warehouse';
import type { KeptRowCounts } from './kept-row-counts.js';

interface DamageLog {
  error(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** The damage of a stream's table. */
export interface Damage {
  /** The number of parts that the engine has set aside, or cannot read. */
  readonly parts: number;
  /** The number of missing rows, if it is known. */
  readonly rows?: number;
  readonly detail: string;
}

const EVERY_MS = 60_000;
const LOGGED_MAX = 20;
/** The engine's error number. */
const UNKNOWN_TABLE = 60;
const UNREADABLE_MAX = 1000;
const ASIDE_DETAIL =
  'nothing of this stream is in answers: the engine cannot load its table; an operator finds what to do in docs/operations.md, "Damaged definitions"';
const DETAIL =
  'not all rows of this stream are in its answers: a part of its table is damaged or gone; an operator finds what to do in docs/operations.md, "Damaged parts"';

/**
 * Looks for losses of tables: parts that the engine has set aside, which it does without a message,
 * and rows that existed before the start. It reads only the engine's lists, at the start and each
 * minute. It reports each part once in the log, and all of them in a metric, in `/readyz`, and in
 * the descriptions of streams.
 */
export class DamagedTables {
  private parts: readonly DamagedPart[] = [];
  /** The parts that could not be read and that the engine leaves where they are, by stream. */
  private readonly unreadable = new Map<string, Set<string>>();
  private readonly told = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private readonly looking = new Semaphore(1);

  constructor(
    private readonly health: TableHealth,
    private readonly counts: KeptRowCounts,
    private readonly log: DamageLog,
    /** The name of the organization with this database, for the log. */
    private readonly organizationOf: (database: string) => string | undefined,
  ) {}

  /**
   * Looks, compares with the last look, and goes on looking. It must be called before anything is
   * written.
   */
  async start(everyMs = EVERY_MS): Promise<void> {
    const rows = await this.health.tableRows();
    if (rows) this.counts.compare(rows);
    for (const { table, missing } of this.counts.losses())
      this.tell(`${table} rows`, { table, missing }, 'rows of a table are gone that were there');
    await this.look();
    this.timer = setInterval(() => void this.lookAgain(), everyMs);
    this.timer.unref();
    gauge({
      name: 'millrace_damaged_parts',
      help: 'Parts of tables that the engine cannot read, or has set aside because it cannot',
      collect: (parts) => parts.set(this.partCount),
    });
    gauge({
      name: 'millrace_damaged_tables',
      help: 'Tables that the engine goes on without, because it cannot load them by their definitions',
      collect: (tables) => tables.set(this.health.asideTables().length),
    });
    gauge({
      name: 'millrace_missing_rows',
      help: 'Rows that tables had at the last look before the start, and have not any more',
      collect: (missing) => missing.set(this.missingRows),
    });
  }

  /** Looks a last time, so that the next start can compare. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.lookAgain(true);
  }

  /**
   * @param database that the failed statement was about
   * @returns the table that caused the failure, if damage did
   */
  async note(
    failure: unknown,
    database: string,
  ): Promise<{ readonly table: string; readonly isAside: boolean } | undefined> {
    const aside = this.asideTable(failure, database);
    if (aside !== undefined) return { table: aside, isAside: true };
    const found = unreadablePart(failure);
    const table = found && (await this.health.tableOf(found.tableId).catch(() => undefined));
    if (!found || !table) return undefined;
    const { part } = found;
    const parts = this.unreadable.get(table.streamId) ?? new Set();
    if (parts.size < UNREADABLE_MAX) this.unreadable.set(table.streamId, parts.add(part));
    this.tell(
      `${table.database}.${table.table} ${part}`,
      { ...table, part },
      'a part of a table cannot be read: queries that need it fail',
    );
    return { table: table.table, isAside: false };
  }

  /** The engine names the table of a statement that it does not know, in quotes of some kind. */
  private asideTable(failure: unknown, database: string): string | undefined {
    const aside = this.health.asideTables().filter((each) => each.database === database);
    if (aside.length === 0) return undefined;
    const { code, message } = toWarehouseError(failure);
    const words = message.split(/[^\w.-]+/).map((word) => word.replace(`${database}.`, ''));
    return code === UNKNOWN_TABLE
      ? aside.find(({ table }) => words.includes(table))?.table
      : undefined;
  }

  /** Gives facts without names, because everybody may see them. */
  facts(): Readonly<Record<string, unknown>> | undefined {
    const rows = this.missingRows;
    const tables = this.health.asideTables().length;
    if (this.partCount === 0 && rows === 0 && tables === 0) return undefined;
    return {
      parts: this.partCount,
      ...(tables > 0 ? { tables } : {}),
      ...(rows > 0 ? { missing_rows: rows } : {}),
    };
  }

  of(table: TableName, streamId: string): Damage | undefined {
    const isIts = (each: TableName): boolean =>
      each.database === table.database && each.table === table.table;
    if (this.health.asideTables().some(isIts)) return { parts: 0, detail: ASIDE_DETAIL };
    const parts = this.parts.filter(isIts).length + (this.unreadable.get(streamId)?.size ?? 0);
    const rows = this.counts.missing(table, streamId);
    if (parts === 0 && rows === 0) return undefined;
    return { parts, ...(rows > 0 ? { rows } : {}), detail: DETAIL };
  }

  private get partCount(): number {
    const unreadable = [...this.unreadable.values()].reduce((sum, { size }) => sum + size, 0);
    return this.parts.length + unreadable;
  }

  private get missingRows(): number {
    return [...this.counts.losses()].reduce((sum, { missing }) => sum + missing, 0);
  }

  private lookAgain(last = false): Promise<void> {
    return this.looking
      .run(() => this.look(last))
      .catch((error: unknown) =>
        this.log.warn({ err: error }, 'it could not be looked for damaged parts of tables'),
      );
  }

  private async look(last = false): Promise<void> {
    for (const { database, table, file } of this.health.asideTables())
      this.tell(
        `${database}.${table}`,
        { organization: this.organizationOf(database), database, table, file },
        adviceOn(table),
        'Damaged definitions',
      );
    this.parts = await this.health.damagedParts();
    for (const { part, ...where } of this.parts)
      this.tell(
        `${where.database}.${where.table} ${part}`,
        { ...where, part },
        'the engine has set aside a damaged part of a table: its rows are in no answer',
      );
    const rows = await this.health.tableRows();
    if (rows) await this.counts.keep(rows, this.health.asideTables(), last);
  }

  private tell(what: string, details: object, message: string, page = 'Damaged parts'): void {
    if (this.told.has(what) || this.told.size > LOGGED_MAX) return;
    this.told.add(what);
    if (this.told.size > LOGGED_MAX)
      this.log.error({}, 'more tables are damaged; GET /api/{org}/streams tells which');
    else this.log.error(details, `${message}; docs/operations.md, "${page}", says what to do`);
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  [AUDIT_TABLE]:
    "an organization's audit trail is set aside, since the engine cannot load its table; its entries are kept, as events: put a good definition back, or stop the server and run `millrace replay --projection audit-trail`",
  [REJECTED_TABLE]:
    "the table of an organization's rejected records is set aside, since the engine cannot load it; what is rejected meanwhile becomes dead letters: put a good definition back",
};

const adviceOn = (table: string): string =>
  ADVICE[table] ??
  'the table of a stream is set aside, since the engine cannot load it: put a good definition back, or delete the stream';
