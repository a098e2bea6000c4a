import { setTimeout as sleep } from 'node:timers/promises';
import { Lead } from '@app/event-store';
import { FencedError, WarehouseError, type AuditTables } from '@app/warehouse';

/** How long nobody may carry an event out before somebody else does. */
const PATIENCE_MS = 2000;
const LOOK_MS = 20;
/** The engine's numbers of unknown tables and databases: they are about to be made. */
const NOT_THERE = new Set([60, 81]);

/**
 * Who leads is who may append to the audit trail. An event's row is the last that is made of it,
 * so whoever finds the row knows that all of it has been carried out. A process takes the lead when
 * it starts, and when whoever has it is too slow.
 */
export class TrailLead extends Lead {
  private leading = false;
  private duties: readonly (() => Promise<void>)[] = [];

  constructor(
    private readonly tables: AuditTables,
    private readonly patienceMs = PATIENCE_MS,
  ) {
    super();
  }

  get isLeading(): boolean {
    return this.leading;
  }

  /** Unless another process takes it at the same moment. */
  async take(): Promise<void> {
    try {
      await this.tables.claimAudit();
      for (const duty of this.duties) await duty();
      this.duties = [];
      this.leading = true;
    } catch (error) {
      if (!(error instanceof FencedError)) throw error;
      this.leading = false;
    }
  }

  whenTaken(duty: () => Promise<void>): void {
    this.duties = [...this.duties, duty];
  }

  /** Another process has taken it. */
  lose(): void {
    this.leading = false;
  }

  async confirm(): Promise<boolean> {
    this.leading &&= await this.tables.holdsAudit();
    return this.leading;
  }

  /** Resolves when another process has carried out the event at `position`, or this one has taken the lead. */
  async follow(database: string, position: bigint): Promise<void> {
    let late = performance.now() + this.patienceMs;
    while (!this.leading && (await this.reached(database)) < position) {
      if (performance.now() < late) await sleep(LOOK_MS);
      else {
        await this.take();
        late = performance.now() + this.patienceMs;
      }
    }
  }

  private async reached(database: string): Promise<bigint> {
    try {
      return BigInt((await this.tables.lastAudit(database))?.position ?? -1);
    } catch (error) {
      if (error instanceof WarehouseError && NOT_THERE.has(error.code)) return -1n;
      throw error;
    }
  }
}
