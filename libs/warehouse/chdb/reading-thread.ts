import { Worker } from 'node:worker_threads';
import { WarehouseError } from '../warehouse-errors.js';

export interface Reading {
  readonly sql: string;
  /** Statements for the session before it; none of them answers anything. */
  readonly before: readonly string[];
  /** Quoted. */
  readonly database: string;
  readonly format: string;
  /** Of the engine's session. */
  readonly args: readonly string[];
  /** Answers one block at most: the engine does not stream it. */
  readonly whole: boolean;
}

/** A block as the engine formats it. */
export interface Block {
  readonly bytes: Uint8Array;
  readonly rows: number;
}

interface Answer {
  readonly bytes?: Uint8Array;
  readonly rows?: number;
  readonly done?: true;
  readonly left?: true;
  readonly failed?: string;
}

/**
 * A thread that reads for one query at a time. The engine analyses a statement within the call
 * that opens its stream, and whatever is constant in it is computed there, a scalar subquery over
 * all rows too: on the main thread that would keep everybody waiting.
 */
export class ReadingThread {
  private worker: Worker | undefined;
  private waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;

  /** @param path of the engine's data. */
  constructor(private readonly path: string) {}

  /** The first block; undefined when there is none. */
  open(reading: Reading): Promise<Block | undefined> {
    return this.block({ open: reading });
  }

  next(): Promise<Block | undefined> {
    return this.block({ next: true });
  }

  /** Gives up what was open, if anything was, so that another query can be read. */
  async leave(): Promise<void> {
    if (this.worker) await this.ask({ leave: true });
  }

  async close(): Promise<void> {
    const { worker } = this;
    if (!worker) return;
    const gone = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    worker.postMessage({ end: true });
    await gone;
  }

  private async block(message: object): Promise<Block | undefined> {
    const { failed, bytes, rows } = await this.ask(message);
    if (failed !== undefined) throw new Error(failed);
    return bytes && { bytes, rows: rows ?? 0 };
  }

  private ask(message: object): Promise<Answer> {
    const worker = (this.worker ??= this.start());
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      worker.postMessage(message);
    });
  }

  private start(): Worker {
    const worker = new Worker(new URL('./read-in-thread.mjs', import.meta.url), {
      workerData: { path: this.path },
      name: 'reader',
    });
    worker.on('message', (answer: Answer) => this.waiting?.resolve(answer));
    const end = (error: unknown): void => {
      if (this.worker === worker) this.worker = undefined;
      const cause = { cause: error };
      this.waiting?.reject(new WarehouseError(0, 'UNKNOWN', 'a reading thread ended', cause));
    };
    worker.on('error', end);
    worker.on('exit', end);
    return worker;
  }
}
