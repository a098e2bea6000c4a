import { Worker } from 'node:worker_threads';
import { certain } from '@app/platform';
import { WarehouseError } from '../warehouse-errors.js';
import type { WantedSession } from '../child/open-sessions.mjs';
import { WholeAnswers } from './whole-answers.js';

export interface Reading extends WantedSession {
  readonly sql: string;
  readonly format: string;
  /**
   * The second block is made without a request. That costs less, but then the query may end before
   * anybody has asked for its statistics.
   */
  readonly ahead: boolean;
  /**
   * The seconds that the engine has for it. If the engine reports an end later, it is not trusted.
   */
  readonly timeoutSeconds: number;
}

/** A block as the engine formats it. */
export interface Block {
  readonly bytes: Uint8Array;
  readonly rows: number;
}

interface Answer {
  /** The turn of the query that the message belongs to. */
  readonly turn: number;
  readonly bytes?: Uint8Array;
  readonly rows?: number;
  readonly done?: true;
  readonly left?: true;
  readonly closed?: true;
  readonly failed?: string;
}

/**
 * A thread that reads for one query at a time. The engine analyses a statement within the call that
 * opens its stream, and whatever is constant in it is computed there, a scalar subquery over all
 * rows too: on the main thread, that would block all other work.
 */
export class ReadingThread {
  /** The answers of a query that need not be streamed. */
  readonly whole: WholeAnswers;
  private worker: Worker | undefined;
  private waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;
  /** The message came before it was asked for. */
  private ahead: Answer | undefined;
  /** The second block will come without a request. */
  private isAhead = false;
  /** Resolves when a block has come that is not needed any more. */
  private owing: Promise<void> | undefined;
  /** Counts the queries, so that a late answer is never mistaken for one to another query. */
  private turn = 0;
  /** The engine may still hold something of the query. */
  private isOpen = false;

  /** @param path of the engine's data. */
  constructor(private readonly path: string) {
    this.whole = new WholeAnswers(path);
  }

  /** Opens a reading and gives its first block; undefined when the answer is empty. */
  open(reading: Reading): Promise<Block | undefined> {
    this.turn += 1;
    this.ahead = undefined;
    this.isOpen = true;
    this.isAhead = reading.ahead;
    return this.block({ open: reading });
  }

  next(): Promise<Block | undefined> {
    if (!this.isAhead) return this.block({ next: true });
    this.isAhead = false;
    return this.block();
  }

  /**
   * Resolves when the block that comes without a request has arrived; undefined when none will
   * come.
   */
  owed(): Promise<void> | undefined {
    if (this.isOpen && this.isAhead) {
      const here = (): void => void (this.owing = undefined);
      this.owing = this.next().then(here, here);
    }
    return this.owing;
  }

  /**
   * Closes the current reading, if there is one, so that another query can be read. No message may
   * be on its way.
   */
  async leave(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    if (this.worker) await this.ask({ leave: true });
  }

  /** Closes its sessions. The thread stays: see {@link end}. No message may be on its way. */
  async close(): Promise<void> {
    this.whole.close();
    if (this.worker) await this.ask({ close: true });
  }

  /**
   * Ends the thread. The engine must be closed before, because the end of a thread ends the whole
   * engine.
   */
  async end(): Promise<void> {
    await this.worker?.terminate();
  }

  private async block(message?: object): Promise<Block | undefined> {
    if (!this.isOpen) throw new WarehouseError(0, 'UNKNOWN', 'nothing is open in this thread');
    const { failed, bytes, rows, done } = await this.ask(message);
    if (bytes === undefined) this.isAhead = false;
    if (failed !== undefined) throw new Error(failed);
    // A reading that has ended need not be closed.
    if (done) this.isOpen = false;
    return bytes && { bytes, rows: certain(rows, 'number of rows of a block') };
  }

  /** @param message none for an answer that comes without a request. */
  private ask(message?: object): Promise<Answer> {
    const { ahead } = this;
    if (message === undefined && ahead) {
      this.ahead = undefined;
      return Promise.resolve(ahead);
    }
    const worker = (this.worker ??= this.start());
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      if (message) worker.postMessage({ ...message, turn: this.turn });
    });
  }

  private take(answer: Answer): void {
    if (answer.turn !== this.turn) return;
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting) waiting.resolve(answer);
    else this.ahead = answer;
  }

  private start(): Worker {
    const worker = new Worker(new URL('./read-in-thread.mjs', import.meta.url), {
      workerData: { path: this.path },
      name: 'reader',
    });
    worker.on('message', (answer: Answer) => this.take(answer));
    const end = (error: unknown): void => {
      if (this.worker === worker) {
        this.worker = undefined;
        this.isOpen = false;
      }
      const cause = { cause: error };
      this.waiting?.reject(new WarehouseError(0, 'UNKNOWN', 'a reading thread ended', cause));
    };
    worker.on('error', end);
    worker.on('exit', end);
    return worker;
  }
}
