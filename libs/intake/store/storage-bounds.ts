import type { IngestQueue } from '@app/ingest-queue';
import { MillraceError, type RequestOrganization } from '@app/platform';
import type { StorageUse } from '@app/warehouse';
import { countRefused, type StorageBound } from './storage-metrics.js';

/**
 * The age up to which a measurement may admit an upload, and the age up to which it may refuse one.
 */
const AGE_MS = { admit: 5000, refuse: 500 } as const;
const RETRY_AFTER_SECONDS = 30;
/**
 * When less than this share of the disk is free, the tenant with the most data may not store any
 * more.
 */
const LITTLE_FREE = 0.1;
/** A tenant with less than this share of the disk is not the one that fills it. */
const MUCH_KEPT = 0.01;
const MIB = 1024 * 1024;

type Kept = Pick<RequestOrganization, 'database' | 'share'>;

interface StorageBoundsDependencies {
  readonly warehouse: StorageUse;
  readonly queue: Pick<IngestQueue, 'awaitAllCommitted'>;
  readonly deadLetter: { bytesByDatabase(): Promise<ReadonlyMap<string, number>> };
  readonly organizations: { list(): readonly Kept[] };
  /** The most bytes of one organization; 0: no bound. */
  readonly mostBytes: number;
  readonly now?: () => number;
}

interface Problem {
  readonly bound: StorageBound;
  readonly message: string;
}

/** Bytes that were appended to the queue and may not be in the measurement yet. */
interface Queued {
  readonly bytes: Map<string, number>;
  written: boolean;
}

/**
 * Limits how much an organization stores on the warehouse's disk: to the configured number of
 * bytes, and on a disk that gets full, by refusing the tenant with the most data while others go
 * on. The sizes are measured every few seconds and not for each request. Bytes that went to the
 * queue since then are added, so uploads at the same time cannot exceed the limit. A refusal always
 * uses a fresh measurement. No limiter of libs/flow fits, because stored bytes do not decrease with
 * time.
 */
export class StorageBounds {
  private kept: ReadonlyMap<string, number> = new Map();
  private disk = { free: Infinity, size: Infinity };
  /** The share whose organizations may not store more, while the disk has little room. */
  private fullest: string | undefined;
  private measuredAt = -Infinity;
  private measuring: Promise<void> | undefined;
  private queued: Queued = { bytes: new Map(), written: false };
  private writing: Queued | undefined;
  private readonly now: () => number;

  constructor(private readonly dependencies: StorageBoundsDependencies) {
    this.now = dependencies.now ?? (() => performance.now());
  }

  /**
   * Admits an upload, or so many bytes for the queue, which count from now on.
   * @throws {MillraceError} STORAGE_FULL
   */
  async admit(organization: Kept, bytes = 0): Promise<void> {
    // The first measurement is awaited; later ones run while the last one is used.
    if (this.measuredAt === -Infinity) await this.measure();
    else if (this.age > AGE_MS.admit) void this.measure();
    if (this.problemOf(organization, bytes) !== undefined && this.age > AGE_MS.refuse)
      await this.measure();
    const problem = this.problemOf(organization, bytes);
    if (problem) throw refusal(problem);
    this.add(organization, bytes);
  }

  /** Counts bytes that are on the queue, or removes the count of bytes that did not get there. */
  add({ database }: Kept, bytes: number): void {
    if (this.dependencies.mostBytes === 0 || bytes === 0) return;
    this.queued.bytes.set(database, (this.queued.bytes.get(database) ?? 0) + bytes);
  }

  /** Tells whether bytes of organizations are counted. */
  get hasBound(): boolean {
    return this.dependencies.mostBytes > 0;
  }

  /** The values for metrics. `free` is a fraction of 1. */
  get state(): { readonly free: number; readonly full: number } {
    const { mostBytes } = this.dependencies;
    const full =
      mostBytes === 0 ? [] : [...this.kept.values()].filter((bytes) => bytes >= mostBytes);
    const free = Number.isFinite(this.disk.size) ? this.disk.free / this.disk.size : 1;
    return { free, full: full.length };
  }

  private get age(): number {
    return this.now() - this.measuredAt;
  }

  private problemOf({ database, share }: Kept, bytes: number): Problem | undefined {
    const { mostBytes } = this.dependencies;
    const kept =
      (this.kept.get(database) ?? 0) +
      (this.queued.bytes.get(database) ?? 0) +
      (this.writing?.bytes.get(database) ?? 0);
    const isFull = mostBytes > 0 && (bytes > 0 ? kept + bytes > mostBytes : kept >= mostBytes);
    if (isFull)
      return {
        bound: 'organization',
        message: `this organization keeps about ${inMib(kept)} of the ${inMib(mostBytes)} it may keep (MILLRACE_ORG_STORAGE_BYTES), with what waits to be written${bytes > 0 ? `, and this upload needs ${inMib(bytes)}` : ''}; nothing of this upload was stored; delete streams, or shorten their data_retention`,
      };
    if (share === this.fullest)
      return {
        bound: 'disk',
        message:
          'less than a tenth of the disk is free, and nobody keeps more on it than this organization, or those of the same account; nothing of this upload was stored; delete streams, or shorten their data_retention',
      };
    return undefined;
  }

  /** A measurement that fails leaves the last one, because a tenant must not be refused for it. */
  private measure(): Promise<void> {
    this.measuring ??= this.look()
      .catch(() => undefined)
      .finally(() => {
        this.measuredAt = this.now();
        this.measuring = undefined;
      });
    return this.measuring;
  }

  private async look(): Promise<void> {
    const { mostBytes, warehouse } = this.dependencies;
    const writing = this.nextWritten();
    const disk = await warehouse.disk();
    const hasLittle = disk.free < disk.size * LITTLE_FREE;
    const kept = mostBytes > 0 || hasLittle ? await this.keptNow() : new Map<string, number>();
    if (writing?.written && this.writing === writing) this.writing = undefined;
    this.kept = kept;
    this.disk = disk;
    this.fullest = hasLittle ? this.whoKeepsMost() : undefined;
  }

  private async keptNow(): Promise<Map<string, number>> {
    const kept = new Map(await this.dependencies.warehouse.keptBytes());
    for (const [database, bytes] of await this.dependencies.deadLetter.bytesByDatabase())
      kept.set(database, (kept.get(database) ?? 0) + bytes);
    return kept;
  }

  /**
   * Bytes that were queued until now are in the next measurement if all of them are written by
   * then.
   * @returns the bytes in this one
   */
  private nextWritten(): Queued | undefined {
    if (this.writing) return this.writing.written ? this.writing : undefined;
    if (this.queued.bytes.size === 0) return undefined;
    const writing = this.queued;
    this.writing = writing;
    this.queued = { bytes: new Map(), written: false };
    this.dependencies.queue.awaitAllCommitted().then(
      () => (writing.written = true),
      // The process is stopping.
      () => undefined,
    );
    return undefined;
  }

  private whoKeepsMost(): string | undefined {
    const shares = new Map<string, number>();
    for (const { database, share } of this.dependencies.organizations.list())
      shares.set(share, (shares.get(share) ?? 0) + (this.kept.get(database) ?? 0));
    // A tenant that is alone takes no room from others.
    if (shares.size < 2) return undefined;
    const [most] = [...shares].sort(([, one], [, other]) => other - one);
    return most && most[1] >= this.disk.size * MUCH_KEPT ? most[0] : undefined;
  }
}

function refusal({ bound, message }: Problem): MillraceError {
  countRefused(bound);
  return new MillraceError('STORAGE_FULL', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

const inMib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;
