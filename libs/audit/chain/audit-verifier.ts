import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore } from '@app/event-store';
import { SingleFlight } from '@app/flow';
import { MillraceError } from '@app/platform';
import type { AuditTables } from '@app/warehouse';
import type { AuditDirectory } from '../audit-directory.js';
import type { ChainKey } from './hash-chain.js';
import { verifyAudit, type AuditVerdict } from './verify-audit.js';

/** A verdict, and the trail that it is about. */
export interface CheckedTrail extends Omit<AuditVerdict, 'found' | 'ofLostTime'> {
  /** The position of the last event that existed when the check began. */
  readonly upTo: bigint;
  /** Milliseconds since the epoch. */
  readonly checkedAt: number;
}

interface Asked {
  readonly database: string;
  readonly resolve: (trail: CheckedTrail) => void;
  readonly reject: (error: unknown) => void;
}

/** The sources that verifying compares. */
interface Sources {
  readonly events: EventStore;
  readonly tables: AuditTables;
  readonly directory: AuditDirectory;
  readonly key: ChainKey;
  /** Resolves with the position of the last event that is known here, when these trails have their entries up to there. */
  carriedOut(this: void, databases: readonly string[]): Promise<bigint>;
}

/** This many trails are checked at once; each holds a page of rows. */
const TRAILS_AT_ONCE = 16;
/** A verdict is kept for at least so long, and given to all who ask meanwhile. */
const KEPT_MS = 60_000;
/** A verdict is kept for so many times as long as the check took. */
const KEPT_TIMES = 10;
/**
 * An erasure at the same moment removes names from entries. That looks as if somebody had changed
 * them.
 */
const LOOKS = 3;
/** Another replica of the tables may show an entry a little later. */
const CARRIED_OUT_MS = 2000;

/**
 * Verifies trails while the server runs. The events of all organizations are read for it, so there
 * is one pass at a time, for all that wait, in at most half of the time that there is; and a trail
 * is not verified again soon, however often somebody asks.
 */
export class AuditVerifier {
  private readonly kept = new Map<
    string,
    { readonly trail: CheckedTrail; readonly until: number }
  >();
  private readonly asked = new SingleFlight<CheckedTrail>();
  private waiting: Asked[] = [];
  private isRunning = false;

  constructor(private readonly sources: Sources) {}

  /** @param database of an organization that exists */
  trail(database: string): Promise<CheckedTrail> {
    const kept = this.kept.get(database);
    if (kept && performance.now() < kept.until) return Promise.resolve(kept.trail);
    return this.asked.run(database, () => {
      const asked = new Promise<CheckedTrail>((resolve, reject) => {
        this.waiting.push({ database, resolve, reject });
      });
      if (!this.isRunning) void this.run();
      return asked;
    });
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    while (this.waiting.length > 0) {
      const turn = this.waiting.slice(0, TRAILS_AT_ONCE);
      this.waiting = this.waiting.slice(TRAILS_AT_ONCE);
      const begun = performance.now();
      try {
        const trails = await this.verify(this.present(turn.map(({ database }) => database)));
        const until =
          performance.now() + Math.max(KEPT_MS, KEPT_TIMES * (performance.now() - begun));
        this.keep(trails, until);
        for (const { database, resolve, reject } of turn) {
          const trail = trails.get(database);
          if (trail) resolve(trail);
          else reject(deletedMeanwhile());
        }
      } catch (error) {
        for (const { reject } of turn) reject(error);
      }
    }
    this.isRunning = false;
  }

  private async verify(databases: readonly string[]): Promise<Map<string, CheckedTrail>> {
    const trails = new Map<string, CheckedTrail>();
    let doubtful = databases;
    for (let looks = 0; looks < LOOKS && doubtful.length > 0; looks += 1) {
      try {
        for (const trail of await this.look(doubtful)) trails.set(trail.database, trail);
        doubtful = doubtful.filter((each) => trails.get(each)?.problems.length !== 0);
      } catch (error) {
        // The organization may end while its trail is checked. That is not a fault.
        const left = this.present(doubtful);
        if (left.length === doubtful.length) throw error;
        doubtful = left;
      }
    }
    return trails;
  }

  private present(databases: readonly string[]): readonly string[] {
    const all = new Set(this.sources.directory.databases());
    return databases.filter((database) => all.has(database));
  }

  private async look(databases: readonly string[]): Promise<readonly CheckedTrail[]> {
    const { events, tables, directory, key, carriedOut } = this.sources;
    const checkedAt = Date.now();
    const upTo = await carriedOut(databases);
    let since = performance.now();
    const pause = async (): Promise<void> => {
      await sleep(performance.now() - since);
      since = performance.now();
    };
    const verdicts = await verifyAudit(events, tables, directory, {
      key,
      upTo,
      carriedOutMs: CARRIED_OUT_MS,
      databases,
      pause,
      onProgress: () => undefined,
    });
    return verdicts.map(({ database, entries, head, problems }) => ({
      database,
      entries,
      head,
      problems,
      upTo,
      checkedAt,
    }));
  }

  private keep(trails: ReadonlyMap<string, CheckedTrail>, until: number): void {
    for (const [database, trail] of trails) this.kept.set(database, { trail, until });
    const present = new Set(this.present([...this.kept.keys()]));
    for (const database of this.kept.keys()) if (!present.has(database)) this.kept.delete(database);
  }
}

const deletedMeanwhile = (): MillraceError =>
  new MillraceError('ORGANIZATION_NOT_FOUND', 'the organization was deleted meanwhile');
