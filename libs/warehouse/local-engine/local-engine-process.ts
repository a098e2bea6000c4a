import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Semaphore } from '@app/flow';
import { writeEngineFiles } from '../child/engine-configuration.js';
import type { EngineEvent } from '../child/engine-event.js';
import { isLocked, openingRefused } from '../opening-refused.js';
import { WarehouseError } from '../warehouse-errors.js';
import type { RowFile, RowFiles } from '../row-files.js';
import type { LocalEngine } from '../warehouse.js';
import { EngineConnection, EngineLostError } from './engine-connection.js';
import { EXTRACTION, STRICT_INPUT } from './strict-input.js';

interface LocalEngineOptions {
  /** An absolute path; the folder's content is never read again. */
  readonly directory: string;
  /** Statements that run at once; more wait. */
  readonly acceptors: number;
  /**
   * Folders that it reads and writes; they are created if they are missing. If a folder is deleted
   * and created again, the kernel treats it as another one.
   */
  readonly files: readonly string[];
  /** Is called with events that an operator should know. */
  readonly tell: (event: EngineEvent) => void;
  /** Tells whether the process stays when it has no requests. */
  readonly stays: boolean;
}

/** Tables that are read at once; more wait. */
const EXTRACTORS = 2;
const MEMORY_MAX = 2 * 1024 ** 3;
/** An idle process is ended after this time, because it takes much memory. */
const IDLE_MS = 60_000;
/** The engine's error number for failures without one of their own. */
const STD_EXCEPTION = 1001;
const BAD_REQUEST = 400;
const STARTS = 3;
/** The time is longer than a process needs to end properly when its service has ended. */
const LEFT_MS = 6000;
const AGAIN_MS = 200;

/**
 * The engine of acceptance, in a process of its own that is started when it is needed: only tables
 * and rewritten batches need it. A crash of that process affects nothing else. Its statements are
 * tried again, each in a process by itself, so that only the statement that crashes the engine
 * fails.
 */
export class LocalEngineProcess implements LocalEngine {
  private opened: Promise<EngineConnection> | undefined;
  /** A process has to end before another one may have its directory. */
  private leaving: Promise<void> = Promise.resolve();
  /**
   * Statements have a line of their own, because a table waits for statements between its files.
   */
  private readonly turns = { run: new Semaphore(1), spool: new Semaphore(1) };
  /** Processes that run a single statement. */
  private readonly alone = new Set<Promise<EngineConnection>>();
  private working = 0;
  private idle: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(private readonly options: LocalEngineOptions) {}

  async run(sql: string, params?: Readonly<Record<string, string>>): Promise<string> {
    this.begin();
    try {
      return await (await this.engine()).run(sql, params);
    } catch (error) {
      if (!(error instanceof EngineLostError) || this.closed) throw error;
    } finally {
      this.end();
    }
    for await (const text of this.apart('run', (engine) => once(engine.run(sql, params))))
      return text;
    throw new Error('the engine has not answered');
  }

  async *spool(sql: string, files: RowFiles): AsyncGenerator<RowFile> {
    let isBegun = false;
    this.begin();
    try {
      for await (const file of (await this.engine()).spool(sql, files)) {
        isBegun = true;
        yield file;
      }
      return;
    } catch (error) {
      // Rows that were already passed on must not be given twice.
      if (!(error instanceof EngineLostError) || isBegun || this.closed) throw error;
    } finally {
      this.end();
    }
    yield* this.apart('spool', (engine) => engine.spool(sql, files));
  }

  async close(): Promise<void> {
    this.closed = true;
    this.leave();
    await Promise.all([this.leaving, ...[...this.alone].map(closeOpened)]);
  }

  /** Works in a process of its own. Work of one kind runs one after the other. */
  private async *apart<Answer>(
    kind: 'run' | 'spool',
    work: (engine: EngineConnection) => AsyncIterable<Answer>,
  ): AsyncGenerator<Answer> {
    const end = await this.turns[kind].acquire();
    let opening: Promise<EngineConnection> | undefined;
    let engine: EngineConnection | undefined;
    try {
      this.refuseClosed();
      opening = this.open(`apart-${kind}`);
      this.alone.add(opening);
      engine = await opening;
      yield* work(engine);
    } catch (error) {
      const isEnded = engine && error instanceof EngineLostError && !this.closed;
      throw isEnded ? new EngineEndedError(error) : error;
    } finally {
      await engine?.close();
      if (opening) this.alone.delete(opening);
      end();
    }
  }

  private begin(): void {
    this.working += 1;
    clearTimeout(this.idle);
  }

  private end(): void {
    this.working -= 1;
    if (this.working > 0 || this.options.stays) return;
    this.idle = setTimeout(() => this.leave(), IDLE_MS).unref();
  }

  private leave(): void {
    const { opened } = this;
    clearTimeout(this.idle);
    this.opened = undefined;
    this.leaving = Promise.all([this.leaving, closeOpened(opened)]).then(() => undefined);
  }

  /** A process that could not be opened, or has ended, is opened again. */
  private async engine(): Promise<EngineConnection> {
    this.refuseClosed();
    const opening = (this.opened ??= this.leaving.then(() => this.open('store')));
    try {
      const engine = await opening;
      if (!engine.isLost) return engine;
    } catch (error) {
      if (this.opened === opening) this.opened = undefined;
      throw error;
    }
    if (this.opened === opening) this.opened = undefined;
    return this.engine();
  }

  /**
   * If somebody kills the process, it is started again. If another process uses its directory, the
   * start is tried again for a while, because a process of a killed service ends by itself.
   * @throws {EngineLostError} when that lasts too long
   */
  private async start(path: string, open: () => Promise<EngineConnection>) {
    const late = performance.now() + LEFT_MS;
    for (let starts = 1; ; starts += 1) {
      try {
        return await open();
      } catch (error) {
        if (!(error instanceof EngineLostError)) throw error;
        const isKilled = KILLED.test(error.reason);
        if (isKilled && starts >= STARTS) throw error;
        const isLeft = isLocked(error.reason) && performance.now() < late && !this.closed;
        if (!isKilled && !isLeft) throw openingRefused(path, error.reason, error);
        if (isLeft) await sleep(AGAIN_MS);
      }
    }
  }

  private refuseClosed(): void {
    if (this.closed) throw new Error('the engine is closed');
  }

  private async open(name: 'store' | 'apart-run' | 'apart-spool'): Promise<EngineConnection> {
    const { directory, acceptors, files, tell } = this.options;
    const path = join(directory, name);
    for (const each of [path, ...files]) mkdirSync(each, { recursive: true, mode: 0o700 });
    const statements = [...STRICT_INPUT, `--max_memory_usage=${MEMORY_MAX}`];
    const program = {
      own: [path, ...files],
      read: [directory],
      engine: {
        path,
        config: writeEngineFiles(join(directory, 'config'), 'uploads'),
        statements: { args: statements, size: acceptors },
        tables: { args: [...statements, ...EXTRACTION], size: EXTRACTORS },
      },
    };
    const lost = (reason: string): void => tell({ of: 'uploads', type: 'ended', reason });
    const engine = await this.start(path, () => EngineConnection.open(program, lost));
    tell({ of: 'uploads', type: 'started', pid: engine.pid, walls: engine.walls });
    return engine;
  }
}

/** A statement has crashed the engine twice, the second time alone. */
class EngineEndedError extends WarehouseError {
  constructor(cause: EngineLostError) {
    super(STD_EXCEPTION, 'ENGINE_ENDED', 'reading it ended the engine', { cause });
    this.name = 'EngineEndedError';
  }

  override get statusCode(): number {
    return BAD_REQUEST;
  }
}

async function closeOpened(opening: Promise<EngineConnection> | undefined): Promise<void> {
  const engine = await opening?.catch(() => undefined);
  await engine?.close();
}

async function* once(answer: Promise<string>): AsyncGenerator<string> {
  yield await answer;
}

const KILLED = /^SIG[A-Z]+$/;
