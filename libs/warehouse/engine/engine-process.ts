import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Backoff, within } from '@app/flow';
import { certain } from '@app/platform';
import { isLocked, openingRefused } from '../opening-refused.js';
import { NETWORK_ERROR, WarehouseError } from '../warehouse-errors.js';
import type { QueryLimits } from '../warehouse.js';
import { ask } from './ask-engine.js';
import { end, hasEnded, hold, outcome } from '../child/engine-child.js';
import { launchEngine, type Launched } from './launch-engine.js';
import type { EngineBackups } from './server-configuration.js';
import { DefinitionsAside } from './definitions/definitions-aside.js';
import { EngineUsers } from './engine-users.js';
import type { EngineEvent } from '../child/engine-event.js';
import type { RunningEngine } from './running-engine.js';

export interface EngineOptions {
  /** An absolute path; only one process uses it at a time. */
  readonly directory: string;
  readonly memoryBytes: number;
  readonly limits: QueryLimits;
  /** The place where it makes or reads backups; undefined: there is none. */
  readonly backups?: EngineBackups | undefined;
  /** Is called with events that an operator should know. */
  readonly tell: (event: EngineEvent) => void;
}

interface Started extends RunningEngine {
  readonly child: ChildProcess;
}

const LOOK_MS = 20;
/**
 * SQL that selects the statements of others: not the asking one, and not the one in which the
 * process waits.
 */
const AT_WORK = "SELECT count() FROM system.processes WHERE user != '' AND query_id != queryID()";
/** A caller that needs a user for a database waits so long for a moment without statements. */
const QUIET_MS = 3000;
/** The interval between checks for such a moment if no caller waits. */
const QUIET_LOOK_MS = 2000;
/** The pauses between consecutive starts. */
const BACKOFF_MS = { first: 100, most: 5000 };
const LOCKED_PAUSE_MS = 500;
/** An engine that has run for so long has started well, and is restarted without a pause. */
const STEADY_MS = 10_000;
/** Another process with the same directory may be just about to end. */
const LOCKED_MS = 5000;

/**
 * ClickHouse's own server as a child process, on a data directory. If it dies, it is started again
 * at another address; callers wait meanwhile.
 */
export class EngineProcess {
  readonly users: EngineUsers;
  /** The engine may read files in this folder, and no others of ours. */
  readonly handed: string;
  /** Tables that it runs without. */
  readonly aside: DefinitionsAside;
  private readonly store: string;
  private generation = 0;
  private readonly backoff = new Backoff(BACKOFF_MS);
  /** True if the engine was restarted and has not run for long yet. Then the next start waits. */
  private isFailing = false;
  private closing = false;
  private current: Promise<Started>;
  /** The engine while it runs, so that callers need no timer to wait for it. */
  private up: Started | undefined;
  private child: ChildProcess | undefined;
  /** Releases the callers that wait for the next generation. */
  private release: ((next: Promise<Started>) => void) | undefined;
  private renewing: Promise<void> | undefined;
  private readonly topUp: NodeJS.Timeout;

  /** @throws when another process has the directory. */
  static async start(options: EngineOptions): Promise<EngineProcess> {
    const engine = new EngineProcess(options);
    try {
      await engine.current;
    } catch (error) {
      await engine.close();
      throw error;
    }
    // Files in this folder were left by a crash. They may be deleted now that the directory belongs
    // to this process.
    for (const file of readdirSync(engine.handed)) rmSync(join(engine.handed, file));
    return engine;
  }

  private constructor(private readonly options: EngineOptions) {
    this.store = join(options.directory, 'store');
    this.handed = join(options.directory, 'handed');
    mkdirSync(this.store, { recursive: true });
    mkdirSync(this.handed, { recursive: true, mode: 0o700 });
    this.users = new EngineUsers(this.store);
    this.aside = new DefinitionsAside(this.store, join(options.directory, 'aside'), options.tell);
    this.current = this.first();
    this.current.catch(() => undefined);
    this.topUp = setInterval(() => void this.renewWhenQuiet(), QUIET_LOOK_MS).unref();
  }

  /**
   * The engine, as soon as it runs.
   * @throws {WarehouseError} `NETWORK_ERROR` when it does not start in time
   */
  async ready(maxWaitMs: number): Promise<RunningEngine> {
    if (this.up) return this.up;
    return within(maxWaitMs, this.current, () => {
      throw away('the engine is being started');
    });
  }

  /** Resolves when this generation has certainly ended, or after the time. */
  async gone(generation: number, withinMs: number): Promise<void> {
    const { child } = this;
    if (!child || this.generation !== generation || hasEnded(child)) return;
    const late = new AbortController();
    const ended = once(child, 'exit', { signal: late.signal });
    await within(withinMs, ended, () => undefined).catch(() => undefined);
    late.abort();
  }

  /**
   * Kills the engine, which its tables survive, and restarts it. Running statements are cut off.
   */
  async restart(generation: number, reason: string): Promise<void> {
    const { child } = this;
    if (!child || this.generation !== generation || hasEnded(child)) return;
    this.options.tell({ of: 'warehouse', type: 'ended', reason });
    this.isFailing = false;
    this.backoff.reset();
    const exited = once(child, 'exit');
    hold(child, true);
    child.kill('SIGKILL');
    await exited;
  }

  /**
   * Restarts the engine, so that databases without a user get one: see {@link EngineUsers}. New
   * statements wait; running ones are waited for, but not for long.
   */
  renew(): Promise<void> {
    this.renewing ??= this.startAnew().finally(() => (this.renewing = undefined));
    return this.renewing;
  }

  async close(): Promise<void> {
    this.closing = true;
    clearInterval(this.topUp);
    const { child } = this;
    if (child) await end(child);
    await this.current.catch(() => undefined);
    this.aside.close();
  }

  private async renewWhenQuiet(): Promise<void> {
    if (!this.users.isLow || this.closing) return;
    const running = await this.current.catch(() => undefined);
    // A restart that fails is tried again at the next check.
    if (running && (await this.atWork(running)) === '0') await this.renew().catch(() => undefined);
  }

  private async startAnew(): Promise<void> {
    const running = await this.current;
    this.up = undefined;
    this.current = new Promise((resolve) => (this.release = resolve));
    const begun = performance.now();
    while ((await this.atWork(running)) !== '0' && performance.now() - begun < QUIET_MS)
      await delay(LOOK_MS);
    await this.restart(running.generation, 'more databases need users');
    await this.current;
  }

  private atWork({ origin, path }: RunningEngine): Promise<string | undefined> {
    return ask(`${origin}${path}`, this.users.admin, AT_WORK);
  }

  private async first(): Promise<Started> {
    const begun = performance.now();
    for (;;) {
      this.aside.putBack();
      try {
        return await this.aside.launch(
          () => this.launch(),
          () => this.probe(),
        );
      } catch (error) {
        const { message } = error as Error;
        if (isLocked(message) && performance.now() - begun < LOCKED_MS && !this.closing) {
          await delay(LOCKED_PAUSE_MS);
          continue;
        }
        throw openingRefused(this.store, message, error);
      }
    }
  }

  private async again(): Promise<Started> {
    for (;;) {
      if (this.isFailing) await this.backoff.wait();
      this.isFailing = true;
      if (this.closing) throw away('the engine has been closed');
      try {
        return await this.aside.launch(
          () => this.launch(),
          () => this.probe(),
        );
      } catch (error) {
        this.options.tell({ of: 'warehouse', type: 'ended', reason: (error as Error).message });
      }
    }
  }

  /** Starts it to see whether it starts. */
  private async probe(): Promise<void> {
    const { child } = await this.spawn();
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  private spawn(): Promise<Launched> {
    if (this.closing) throw away('the engine has been closed');
    const { store, handed, users, options } = this;
    return launchEngine({ ...options, store, handed }, users, (child) => {
      this.child = child;
      this.generation += 1;
    });
  }

  private async launch(): Promise<Started> {
    const { child, origin, path, walls, complaint } = await this.spawn();
    const { generation } = this;
    const pid = certain(child.pid, 'id of the process');
    const answeredAt = performance.now();
    const lost = (): void => {
      if (this.child !== child) return;
      this.up = undefined;
      if (this.closing) {
        const none = Promise.reject<Started>(away('the engine has been closed'));
        none.catch(() => undefined);
        this.release?.(none);
        return;
      }
      if (performance.now() - answeredAt > STEADY_MS) this.isFailing = false;
      this.backoff.reset();
      this.options.tell({
        of: 'warehouse',
        type: 'ended',
        reason: complaint() || outcome(child),
      });
      const next = this.again();
      next.catch(() => undefined);
      this.release?.(next);
      this.current = next;
    };
    const given = await walls;
    if (hasEnded(child)) throw new Error(`the engine has ended: ${outcome(child)}`);
    child.once('exit', lost);
    hold(child, false);
    this.options.tell({ of: 'warehouse', type: 'started', pid, walls: given });
    this.up = { generation, origin, path, pid, child };
    return this.up;
  }
}

const away = (message: string): WarehouseError =>
  new WarehouseError(NETWORK_ERROR, 'NETWORK_ERROR', message);
