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
  /** Absolute; what is in it is never read again. */
  readonly directory: string;
  /** Statements that run at once; more wait. */
  readonly acceptors: number;
  /** Folders whose files it reads and writes; made where they are missing. A folder that is made anew later is another one to the kernel. */
  readonly files: readonly string[];
  /** Is called with events that an operator should know. */
  readonly tell: (event: EngineEvent) => void;
  /** Tells whether the process stays when nothing is asked of it. */
  readonly stays: boolean;
}

/** Tables that are read at once; more wait. */
const EXTRACTORS = 2;
const MEMORY_MAX = 2 * 1024 ** 3;
/** A process that nobody needs any more is ended: what it holds is a good part of ours. */
const IDLE_MS = 60_000;
/** The engine's number of a failure that none of its own tells. */
const STD_EXCEPTION = 1001;
const BAD_REQUEST = 400;
const STARTS = 3;
/** Longer than a process has to end in order when the service that started it is gone. */
const LEFT_MS = 6000;
const AGAIN_MS = 200;

/**
 * The engine of acceptance, in a process of its own that is started when it is needed: only tables
 * and rewritten batches need it. What ends that process ends nothing else. The statements it had are
 * tried again, each in a process by itself, so that only the one that ends the engine fails.
 */
export class LocalEngineProcess implements LocalEngine {
  private opened: Promise<EngineConnection> | undefined;
  /** A process has to end before another one may have its directory. */
  private leaving: Promise<void> = Promise.resolve();
  /** A table waits for statements between its files: in one line with them it would wait for itself. */
  private readonly turns = { run: new Semaphore(1), spool: new Semaphore(1) };
  /** Those that have one statement. */
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
      // Rows that somebody has already are not given twice.
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

  /** Works in a process that has nothing else to do; work of one kind is done one after the other. */
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

  /** One that could not be opened, or has ended, is opened again. */
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
   * One that somebody killed meanwhile is started again, and so is one whose directory another has
   * for as long as that may take to end: what a service that was killed has left does so by itself.
   * @throws {EngineLostError} when that goes on
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

/** A statement has ended the engine twice, the second time with nothing beside it. */
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
