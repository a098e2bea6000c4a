import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { OperatorError } from '@app/platform';
import { Backoff, pause } from '@app/flow';
import type { Logger } from '@app/platform';
import type { SourceEngine } from '@app/warehouse';
import type { FollowConfig } from '../config/follow-config.js';
import { tableName } from '../describe/table-entry.js';
import type { TableRegistry } from '../registry/table-registry.js';
import type { DescribedColumn } from '../table-description.js';
import { timerMilliseconds } from '../timer-milliseconds.js';
import { failedRounds, measureFollowing } from './follow-metrics.js';
import type { FollowState } from './follow-state.js';
import { HostedError, HostedOrganization } from './hosted-organization.js';
import { LocalFiles } from './local-files.js';
import { OldGenerations } from './old-generations.js';
import { StreamCache } from './stream-cache.js';
import { syncStream } from './sync-stream.js';

interface FollowerDependencies {
  readonly config: FollowConfig;
  /** An absolute path of the folder for fetched files. */
  readonly folder: string;
  /** A stream whose name another table has is skipped for as long as that table exists. */
  readonly registry: Pick<TableRegistry, 'change' | 'described' | 'list'>;
  readonly statements: SourceEngine['statements'];
  readonly logger: Logger;
  /** Is called with the names of the followed tables, in order, whenever they change. */
  readonly told: (names: readonly string[]) => void;
}

/** A refused connection costs little, and a client that comes back is wanted soon. */
const BACKOFF_MS_MAX = 15_000;
/** Old files stay for as long as a query that began with them may read them. */
const OLD_FILES_MILLISECONDS = 11 * 60_000;
const AT_ONCE = 3;
const PID_FILE = 'pid';
/** The start waits so long for the hosted side. */
const FIRST_CONTACT_MILLISECONDS = 5_000;

/** Registers the streams of a hosted organization, and keeps them as they are there. */
export class Follower {
  private readonly stop = new AbortController();
  private readonly hosted: HostedOrganization;
  private readonly files: LocalFiles;
  private readonly caches = new Map<string, StreamCache>();
  private readonly passedOver = new Set<string>();
  private readonly oldGenerations = new Map<string, OldGenerations>();
  private running: Promise<void> | undefined;
  private syncedAt: number | undefined;
  private failures = 0;
  private failuresInARow = 0;
  private readonly backoff: Backoff;
  private lastError: string | undefined;
  private told = '';

  private constructor(private readonly dependencies: FollowerDependencies) {
    this.hosted = new HostedOrganization(dependencies.config, this.stop.signal);
    this.files = new LocalFiles(dependencies.statements);
    const [first, most] = [dependencies.config.intervalSeconds * 1000, BACKOFF_MS_MAX];
    this.backoff = new Backoff({ first: Math.min(first, most), most });
  }

  /**
   * Registers what the cache has, asks the hosted side once, and goes on following it. A hosted
   * side that cannot be reached is waited for.
   * @throws {Error} when it refuses, or the cache is another organization's
   */
  static async start(dependencies: FollowerDependencies): Promise<Follower> {
    const follower = new Follower(dependencies);
    await follower.openCache();
    try {
      await follower.hosted.streams(FIRST_CONTACT_MILLISECONDS);
    } catch (error) {
      if (error instanceof HostedError && error.isRefusal)
        throw new OperatorError(`--follow: ${error.message}`, { cause: error });
      dependencies.logger.warn({ err: error }, 'the followed organization cannot be reached yet');
    }
    measureFollowing(() => follower.state());
    follower.running = follower.run();
    return follower;
  }

  state(): FollowState {
    const streams = this.followed().length;
    return {
      isReady: this.syncedAt !== undefined || streams > 0,
      streams,
      passedOver: [...this.passedOver],
      ageSeconds: this.syncedAt === undefined ? undefined : (Date.now() - this.syncedAt) / 1000,
      failures: this.failures,
      lastError: this.lastError,
    };
  }

  async close(): Promise<void> {
    this.stop.abort();
    await this.running;
    await rm(join(this.dependencies.folder, PID_FILE), { force: true });
  }

  private followed(): readonly string[] {
    const tables = this.dependencies.registry.list().filter(({ described }) => described.followed);
    return tables.map(({ described }) => described.name).sort();
  }

  private tell(): void {
    const names = this.followed();
    if (names.join() === this.told) return;
    this.told = names.join();
    this.dependencies.told(names);
  }

  private async openCache(): Promise<void> {
    const { folder, config, logger } = this.dependencies;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await takeFolder(folder);
    await insistOnOrganization(folder, config);
    const names = (await readdir(folder)).filter((name) => name.startsWith('s-'));
    for (const name of names) {
      const cache = await this.cacheOf(name.slice(2));
      if (!cache.isFilled || this.isPassedOver(cache.stream)) continue;
      await this.register(cache).catch((error: unknown) => {
        logger.warn({ err: error, stream: cache.stream }, 'a cached stream cannot be served');
      });
    }
  }

  private async run(): Promise<void> {
    const { signal } = this.stop;
    while (!signal.aborted) {
      const seconds = await this.round();
      await pause(timerMilliseconds(seconds), signal, false);
    }
  }

  /** @returns seconds until the next */
  private async round(): Promise<number> {
    const { config, logger } = this.dependencies;
    const startedAt = Date.now();
    try {
      await this.syncAll(await this.hosted.streams());
      this.syncedAt = startedAt;
      this.failuresInARow = 0;
      this.backoff.reset();
      this.lastError = undefined;
      return config.intervalSeconds;
    } catch (error) {
      if (this.stop.signal.aborted) return 0;
      this.failures += 1;
      failedRounds.inc();
      this.failuresInARow += 1;
      this.lastError = reasonOf(error);
      if (this.failuresInARow === 1)
        logger.warn({ err: error }, 'following the organization failed; it is tried again');
      const asked = error instanceof HostedError ? (error.retryAfterSeconds ?? 0) : 0;
      return Math.max(this.backoff.take() / 1000, config.intervalSeconds, asked);
    } finally {
      if (!this.stop.signal.aborted) this.tell();
    }
  }

  private async syncAll(streams: ReadonlyMap<string, readonly DescribedColumn[]>): Promise<void> {
    for (const name of [...this.caches.keys()]) if (!streams.has(name)) await this.forget(name);
    for (const name of this.passedOver) if (!streams.has(name)) this.passedOver.delete(name);
    const waiting = [...streams].filter(([name]) => !this.isPassedOver(name));
    const failures: Error[] = [];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift())
        await this.sync(...next).catch((error: unknown) =>
          failures.push(error instanceof Error ? error : new Error(String(error))),
        );
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const [first] = failures;
    if (first) throw first;
  }

  private async sync(name: string, columns: readonly DescribedColumn[]): Promise<void> {
    const cache = await this.cacheOf(name);
    try {
      await this.cleanOld(cache);
      await syncStream(cache, columns, { hosted: this.hosted, files: this.files });
      await this.register(cache);
    } catch (error) {
      if (error instanceof HostedError) throw error;
      throw new Error(`stream ${name}: ${reasonOf(error)}`, { cause: error });
    }
  }

  private async register(cache: StreamCache): Promise<void> {
    const { registry } = this.dependencies;
    const table = cache.table();
    if (JSON.stringify(registry.described(table.name)) === JSON.stringify(table)) return;
    await registry.change({ put: [table] });
    const old = this.oldGenerations.get(cache.stream) ?? new OldGenerations(OLD_FILES_MILLISECONDS);
    this.oldGenerations.set(cache.stream, old);
    old.serve(cache.generation, Date.now());
  }

  private async forget(name: string): Promise<void> {
    const cache = this.caches.get(name);
    await this.dependencies.registry.change({ forget: [name] });
    this.caches.delete(name);
    this.oldGenerations.delete(name);
    // Queries that still read the files have them open, or fail like queries of a table that is
    // gone.
    await cache?.remove();
  }

  private async cleanOld(cache: StreamCache): Promise<void> {
    const readable = this.oldGenerations.get(cache.stream)?.afterEnd(Date.now());
    if (readable) await cache.clean(readable);
  }

  private async cacheOf(name: string): Promise<StreamCache> {
    const known = this.caches.get(name);
    if (known) return known;
    const own = `s-${name}`;
    const folder = join(this.dependencies.folder, own);
    // Another machine chooses the name, and files below it are deleted.
    if (basename(folder) !== own) throw new Error('its name is none of a folder');
    const cache = await StreamCache.open(name, folder);
    this.caches.set(name, cache);
    return cache;
  }

  private isPassedOver(name: string): boolean {
    const there = this.dependencies.registry.described(name);
    const reason =
      there && !there.followed
        ? 'a table that was registered here has its name, and stays'
        : tableName.safeParse(name).error?.issues[0]?.message;
    if (reason === undefined) {
      this.passedOver.delete(name);
      return false;
    }
    if (!this.passedOver.has(name))
      this.dependencies.logger.warn({ stream: name }, `not followed: ${reason}`);
    this.passedOver.add(name);
    return true;
  }
}

/** Two programs would delete each other's files. @throws {Error} when another one is alive */
async function takeFolder(folder: string): Promise<void> {
  const path = join(folder, PID_FILE);
  const holder = Number(await readFile(path, 'utf8').catch(() => Number.NaN));
  if (Number.isInteger(holder) && holder !== process.pid && isAlive(holder))
    throw new OperatorError(
      `--follow-cache ${folder}: process ${holder} has it; want another folder`,
    );
  await writeFile(path, String(process.pid), { mode: 0o600 });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function insistOnOrganization(folder: string, config: FollowConfig): Promise<void> {
  const path = join(folder, 'organization.json');
  const { href } = new URL(`api/${config.organization}/`, config.url);
  const own = JSON.stringify({ organization: href });
  const found = await readFile(path, 'utf8').catch(() => undefined);
  if (found === undefined) await writeFile(path, own, { mode: 0o600 });
  else if (found !== own)
    throw new OperatorError(
      `--follow-cache ${folder}: it has another organization; want another folder`,
    );
}

/** `fetch` says "fetch failed"; why is in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.message === 'fetch failed'
    ? error.cause.message
    : error.message;
}
