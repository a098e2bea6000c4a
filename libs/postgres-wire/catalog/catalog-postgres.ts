import { Worker } from 'node:worker_threads';
import type { Logger } from '@app/platform';
import { PostgresError } from '../protocol/protocol-error.js';

interface CatalogQuestion {
  /** SQL that creates the caller's tables. */
  readonly tables: string;
  /** The name by which the client calls the database. */
  readonly database: string;
  readonly messages: Uint8Array;
}

interface Waiting {
  readonly question: CatalogQuestion & { readonly id: number };
  resolve(bytes: Buffer): void;
  reject(error: Error): void;
}

interface ThreadMessage {
  readonly ready?: true;
  readonly id?: number;
  readonly bytes?: Uint8Array;
  readonly failed?: string;
}

const MIB = 1024 * 1024;
/** The time for a thread to start. It creates a database first, or uses the one from the build. */
const START_SECONDS = 180;
const STATEMENT_SECONDS = 30;
/** After so many seconds without a question, the process is ended to free its memory. */
const QUIET_SECONDS = 300;
const ROLE = 'millrace';

/**
 * PostgreSQL itself, for statements about its catalog: in WebAssembly, in a thread that starts with
 * the first of them. If a statement takes too long, the thread is ended.
 */
export class CatalogPostgres {
  private thread: Worker | undefined;
  private isReady = false;
  private readonly waiting: Waiting[] = [];
  private asked: Waiting | undefined;
  private timer: NodeJS.Timeout | undefined;
  private count = 0;
  private isClosed = false;

  constructor(private readonly logger: Logger) {}

  /** @returns PostgreSQL's messages. @throws {PostgresError} */
  ask(question: CatalogQuestion, signal: AbortSignal): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) return reject(new PostgresError('57P01', 'the server stops'));
      this.count += 1;
      const waiting: Waiting = { question: { ...question, id: this.count }, resolve, reject };
      this.waiting.push(waiting);
      signal.addEventListener('abort', () => this.leave(waiting), { once: true });
      this.next();
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.end(new PostgresError('57P01', 'the server stops'));
  }

  private next(): void {
    if (this.asked) return;
    clearTimeout(this.timer);
    if (this.waiting.length === 0) {
      this.timer = setTimeout(() => void this.end(), QUIET_SECONDS * 1000).unref();
      return;
    }
    if (!this.thread) this.start();
    if (!this.isReady) {
      this.timer = setTimeout(() => void this.end(late()), START_SECONDS * 1000).unref();
      return;
    }
    this.asked = this.waiting.shift();
    this.thread?.postMessage(this.asked?.question);
    this.timer = setTimeout(() => void this.restart(late()), STATEMENT_SECONDS * 1000).unref();
  }

  private start(): void {
    const thread = new Worker(new URL('./catalog-thread.mjs', import.meta.url), {
      workerData: {
        data: new URL('./catalog-data.tar.gz', import.meta.url).pathname,
        memoryBytes: 512 * MIB,
        answerBytes: 16 * MIB,
        role: ROLE,
      },
      env: {},
    });
    thread.unref();
    const ours = (work: () => void) => () => {
      if (this.thread === thread) work();
    };
    thread.on('message', (message: ThreadMessage) => ours(() => this.heard(message))());
    thread.on('error', (error: Error) =>
      ours(() => {
        this.logger.error({ err: error }, 'the catalog for clients of PostgreSQL is not there');
        void this.end(notThere());
      })(),
    );
    this.thread = thread;
    this.isReady = false;
  }

  private heard({ ready, id, bytes, failed }: ThreadMessage): void {
    if (ready) this.isReady = true;
    else {
      const { asked } = this;
      if (asked?.question.id !== id) return;
      if (failed === 'too-large') return void this.restart(tooLarge());
      this.asked = undefined;
      if (bytes) asked?.resolve(Buffer.from(bytes));
      else if (failed === 'reads-tables') asked?.reject(readsBoth());
      else {
        this.logger.error({ reason: failed }, 'the catalog for clients of PostgreSQL has failed');
        asked?.reject(notThere());
      }
    }
    this.next();
  }

  private leave(waiting: Waiting): void {
    const at = this.waiting.indexOf(waiting);
    if (at !== -1) this.waiting.splice(at, 1);
    if (this.asked === waiting) void this.restart(canceled());
    else waiting.reject(canceled());
  }

  /** Ends the running statement together with its thread; waiting statements go to a new thread. */
  private async restart(error: PostgresError): Promise<void> {
    const { thread, asked } = this;
    this.thread = undefined;
    this.asked = undefined;
    this.isReady = false;
    asked?.reject(error);
    this.next();
    await thread?.terminate();
  }

  private async end(error?: PostgresError): Promise<void> {
    clearTimeout(this.timer);
    const { thread, asked } = this;
    const left = this.waiting.splice(0);
    this.thread = undefined;
    this.asked = undefined;
    this.isReady = false;
    if (error) for (const each of [...(asked ? [asked] : []), ...left]) each.reject(error);
    await thread?.terminate();
  }
}

const late = (): PostgresError =>
  new PostgresError('57014', 'the statement about the catalog takes too long');
const canceled = (): PostgresError =>
  new PostgresError('57014', 'canceling statement due to user request');
const tooLarge = (): PostgresError =>
  new PostgresError('54000', 'the answer of the catalog is too large; ask for less of it');
const notThere = (): PostgresError =>
  new PostgresError('XX000', "the catalog cannot be asked; the server's log says why");

/** The tables in this catalog have no rows. */
const readsBoth = (): PostgresError =>
  new PostgresError(
    '0A000',
    'a statement reads either tables or what PostgreSQL alone knows (its catalog, and functions such as current_user); ask for one at a time',
  );
