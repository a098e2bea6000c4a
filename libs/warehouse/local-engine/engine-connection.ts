import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { certain } from '@app/platform';
import { GIVE_BACK, hasEnded, hold, outcome, type Walls } from '../child/engine-child.js';
import { NETWORK_ERROR, toWarehouseError, WarehouseError } from '../warehouse-errors.js';
import type { RowFile, RowFiles } from '../row-files.js';
import type { EngineAnswer, EngineRequest } from './engine-messages.js';
import { onLine } from './message-lines.mjs';

interface EngineProgram {
  /** The folders that it may write to, and read from. */
  readonly own: readonly string[];
  readonly read: readonly string[];
  readonly engine: object;
}

/** The process of the statement has ended. */
export class EngineLostError extends WarehouseError {
  /** @param reason for operators */
  constructor(readonly reason: string) {
    super(NETWORK_ERROR, 'NETWORK_ERROR', 'the engine that reads tables has ended; send it again');
    this.name = 'EngineLostError';
  }
}

const PROGRAM = fileURLToPath(new URL('./fence-local-engine.mjs', import.meta.url));
const CHANNEL = 3;
const START_MS = 60_000;
/** The time is longer than the process itself takes to end properly. */
const END_MS = 5000;
const COMPLAINT_MAX = 4000;
/** Gives the engine's allocator and libuv the same settings as bin/process-environment.cjs. */
const ENVIRONMENT = {
  TZ: 'UTC',
  JE_MALLOC_CONF: GIVE_BACK,
  UV_THREADPOOL_SIZE: '16',
  // Node.js does not start if it cannot read the system's file.
  OPENSSL_CONF: '/dev/null',
};

interface Waiting {
  readonly answers: EngineAnswer[];
  wake(): void;
}

/** A process with an engine in it, and the requests that wait for its answers. */
export class EngineConnection {
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  private lost: EngineLostError | undefined;

  /**
   * @throws {EngineLostError} when the process ends before the first request; the system's error
   *   when it cannot be started
   */
  static async open(
    program: EngineProgram,
    tellLost: (reason: string) => void,
  ): Promise<EngineConnection> {
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify({ ...program, parent: process.pid })], {
      // The child gets a process group of its own, so that signals of a terminal reach only us.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      // The child gets none of our other variables.
      env: ENVIRONMENT,
    }); // prettier-ignore
    // Without a listener, this event would end our process. There may be no channel then.
    if (child.pid === undefined) throw ((await once(child, 'error')) as [Error])[0];
    const connection = new EngineConnection(child);
    const late = setTimeout(() => child.kill('SIGKILL'), START_MS);
    try {
      await connection.started;
      connection.hold(false);
      connection.tellLost = tellLost;
    } finally {
      clearTimeout(late);
    }
    return connection;
  }

  /** The kernel's restrictions, as the process has found by trying. */
  walls: Walls = { files: false, tcp: false };
  readonly pid: number;
  /** Is called when the process ends without being asked to. */
  private tellLost: (reason: string) => void = () => undefined;
  private readonly started: Promise<void>;
  private readonly channel: Socket;

  private constructor(private readonly child: ChildProcess) {
    this.pid = certain(child.pid, 'id of the process');
    this.channel = child.stdio[CHANNEL] as Socket;
    let complaint = '';
    child.stderr?.on('data', (bytes: Buffer) => {
      complaint = `${complaint}${bytes.toString()}`.slice(-COMPLAINT_MAX);
    });
    // If the child has ended, a write to it fails. Its end is handled elsewhere.
    this.channel.on('error', () => undefined);
    this.started = new Promise((resolve, reject) => {
      onLine(this.channel, (line) => {
        const answer = JSON.parse(line) as EngineAnswer;
        const waiting = answer.id === undefined ? undefined : this.waiting.get(answer.id);
        waiting?.answers.push(answer);
        waiting?.wake();
        if (!answer.ready) return;
        this.walls = answer.ready;
        resolve();
      });
      child.once('exit', () => {
        this.lost = new EngineLostError(complaint.trim() || outcome(child));
        reject(this.lost);
        this.tellLost(this.lost.reason);
        for (const each of this.waiting.values()) each.wake();
      });
    });
    this.started.catch(() => undefined);
  }

  get isLost(): boolean {
    return this.lost !== undefined;
  }

  async run(sql: string, params?: Readonly<Record<string, string>>): Promise<string> {
    const request = this.request();
    try {
      request.send({ id: request.id, run: sql, params });
      return certain((await request.next()).text, 'text of an answer');
    } finally {
      request.end();
    }
  }

  async *spool(sql: string, files: RowFiles): AsyncGenerator<RowFile> {
    const request = this.request();
    const { id } = request;
    let isDone = false;
    try {
      request.send({ id, spool: { sql, ...files } });
      for (;;) {
        const { rows = 0, bytes = 0, index = 0, isFull = false, done } = await request.next();
        isDone = done ?? false;
        if (isDone) return;
        yield { index, rows, bytes, isFull };
        if (isFull) request.send({ id, next: true });
      }
    } finally {
      if (!isDone && !this.isLost) request.send({ id, next: false });
      request.end();
    }
  }

  async close(): Promise<void> {
    if (hasEnded(this.child)) return;
    this.tellLost = () => undefined;
    this.hold(true);
    const exited = once(this.child, 'exit');
    this.channel.end();
    const late = setTimeout(() => this.child.kill('SIGKILL'), END_MS);
    await exited;
    clearTimeout(late);
  }

  /** Tells whether this process waits for the child before it ends itself. */
  private hold(held: boolean): void {
    hold(this.child, held);
    if (held) this.channel.ref();
    else this.channel.unref();
  }

  private request() {
    this.lastId += 1;
    const id = this.lastId;
    const waiting: Waiting = { answers: [], wake: () => undefined };
    this.waiting.set(id, waiting);
    this.hold(true);
    return {
      id,
      send: (message: EngineRequest): void => {
        if (this.lost) throw this.lost;
        this.channel.write(`${JSON.stringify(message)}\n`);
      },
      next: async (): Promise<EngineAnswer> => {
        for (;;) {
          const answer = waiting.answers.shift();
          if (answer?.failed) throw errorOf(answer.failed);
          if (answer) return answer;
          if (this.lost) throw this.lost;
          await new Promise<void>((resolve) => (waiting.wake = resolve));
        }
      },
      end: (): void => {
        this.waiting.delete(id);
        if (this.waiting.size === 0) this.hold(false);
      },
    };
  }
}

/**
 * Restores the error that the engine's call would have thrown here; an error of the system stays
 * one.
 */
function errorOf(failed: NonNullable<EngineAnswer['failed']>): Error {
  const error = Object.assign(new Error(failed.message), failed);
  return failed.syscall === undefined ? toWarehouseError(error) : error;
}
