import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import type { Pool } from '@app/flow';
import { certain } from '@app/platform';
import { quoteIdentifier, quoteText } from '../ddl/identifier.js';
import { handOver } from '../memory/release-memory.js';
import { toWarehouseError, WarehouseError } from '../warehouse-errors.js';
import type { WarehouseQuery, WarehouseReader } from '../warehouse.js';
import { engineFormat } from '../sql/read-settings.js';
import { WholeResult } from '../whole-result.js';
import { chunkJoiner, isWholeFile, wholeDocument } from './join-chunks.js';
import { Lease } from './sessions/lease.js';
import type { Block, ReadingThread } from './reading-thread.js';
import { RunningQueries } from './running-queries.js';
import type { SessionPool } from './sessions/session-pool.js';
import { SmallAnswers } from './small-answers.js';

export interface ReaderDependencies {
  /** Sessions for results that are held in memory as a whole. */
  readonly sessions: SessionPool;
  readonly threads: Pool<ReadingThread>;
  readonly running: RunningQueries;
  /** Arguments of a reading session. */
  readonly args: readonly string[];
  /** The arguments of a session for answers in memory: see {@link SmallAnswers.within}. */
  readonly smallArgs: readonly string[];
  /** The directory for results that cannot be sent while they are made. */
  readonly directory: string;
  readonly timeoutSeconds: number;
}

/**
 * Reads through the engine's own streams, because the client would hold a large result in memory as
 * a whole.
 */
export class ChdbReader implements WarehouseReader {
  private readonly leases = new Set<Lease>();
  private readonly small = new SmallAnswers();

  constructor(private readonly dependencies: ReaderDependencies) {}

  async stream(query: WarehouseQuery): Promise<Readable> {
    const lease = await this.lease(query);
    try {
      if (isWholeFile(query.format)) return await this.file(query, lease);
      const begun = performance.now();
      const whole = await this.whole(query, lease);
      return whole ?? (await this.blocks(query, lease, this.secondsLeft(begun)));
    } catch (error) {
      void lease.end();
      query.signal?.throwIfAborted();
      throw toWarehouseError(error);
    }
  }

  text(query: WarehouseQuery): Promise<string> {
    const { sessions, running } = this.dependencies;
    return sessions.use(async (pooled) => {
      const id = query.id ?? randomUUID();
      const stop = (): void => void running.kill(id);
      try {
        query.signal?.throwIfAborted();
        const database = query.database ?? DEFAULT_DATABASE;
        if (pooled.database !== database) {
          pooled.database = undefined;
          await pooled.session.queryAsync(`USE ${quoteIdentifier(database)}`);
          pooled.database = database;
        }
        for (const statement of parameters(query)) await pooled.session.queryAsync(statement);
        query.signal?.addEventListener('abort', stop, { once: true });
        const sql = RunningQueries.marked(id, query.sql);
        const options = { format: engineFormat(query.format) };
        return (await pooled.session.queryAsync(sql, options)).text();
      } catch (error) {
        await pooled.clear();
        query.signal?.throwIfAborted();
        throw toWarehouseError(error);
      } finally {
        query.signal?.removeEventListener('abort', stop);
      }
    });
  }

  /** Ends running queries, and closes their sessions. */
  async close(): Promise<void> {
    await Promise.all([...this.leases].map((lease) => lease.end()));
    await Promise.all(this.dependencies.threads.all().map((thread) => thread.close()));
  }

  /** Ends all threads. The engine must be closed before. */
  async end(): Promise<void> {
    await Promise.all(this.dependencies.threads.all().map((thread) => thread.end()));
  }

  private async lease(query: WarehouseQuery): Promise<Lease> {
    const { threads, running, timeoutSeconds } = this.dependencies;
    const lease = new Lease(await threads.acquire(), threads, running, {
      id: query.id ?? randomUUID(),
      timeoutSeconds,
      ...(query.signal && { signal: query.signal }),
      ...(query.onSample && { onSample: query.onSample }),
    });
    this.leases.add(lease);
    lease.onGone(() => this.leases.delete(lease));
    return lease;
  }

  /**
   * Reads a small answer at once: when the query says that it is small, or the last answer to the
   * same query was.
   */
  private async whole(query: WarehouseQuery, lease: Lease): Promise<WholeResult | undefined> {
    const tells = TELLS.test(query.sql);
    const isExpected = query.isSmall === true || this.small.has(query);
    if (!tells && (watcherOf(query) || !isExpected)) return undefined;
    const { args, smallArgs } = this.dependencies;
    const fitting = query.isSmall ? [...smallArgs, ONE_THREAD] : smallArgs;
    const reading = this.reading(query, lease.id, tells ? args : fitting);
    try {
      const bytes = await lease.work(({ whole }) => whole.read(reading));
      // The engine may have finished before it heard that the client has left.
      query.signal?.throwIfAborted();
      lease.live();
      void lease.end();
      return new WholeResult(wholeDocument(query.format, bytes));
    } catch (error) {
      if (tells || toWarehouseError(error).code !== TOO_MANY_ROWS_OR_BYTES) throw error;
      this.small.forget(query);
      lease.again();
      return undefined;
    }
  }

  /**
   * The limit is in whole seconds, rounded up: a session gets its limit when it is opened, and few
   * sessions are open.
   */
  private secondsLeft(begun: number): number {
    const passed = (performance.now() - begun) / 1000;
    return Math.max(1, Math.ceil(this.dependencies.timeoutSeconds - passed));
  }

  private async blocks(
    query: WarehouseQuery,
    lease: Lease,
    timeoutSeconds: number,
  ): Promise<Readable> {
    const ahead = isAhead(query);
    const args = withTimeout(this.dependencies.args, timeoutSeconds);
    const reading = { ...this.reading(query, lease.id, args), ahead, timeoutSeconds };
    const first = await lease.work((thread) => thread.open(reading), query.onReading);
    const second = first && ahead ? following(lease, query) : undefined;
    const learn = (bytes: number): void => this.small.learn(query, bytes);
    const stream = Readable.from(blocks(lease, { first, second }, query, learn), {
      objectMode: false,
    });
    // A generator that waits for a block notices the end only when the block arrives.
    return stream.once('close', () => void lease.end());
  }

  private async file(query: WarehouseQuery, lease: Lease): Promise<Readable> {
    const file = join(this.dependencies.directory, randomUUID());
    const into = ` INTO OUTFILE ${quoteText(file)} FORMAT ${engineFormat(query.format)}`;
    const reading = this.reading({ ...query, sql: `${query.sql}${into}` }, lease.id);
    try {
      await lease.work(({ whole }) => whole.read(reading));
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    }
    void lease.end();
    return createReadStream(file).once('close', () => void rm(file, { force: true }));
  }

  private reading(query: WarehouseQuery, id: string, args = this.dependencies.args) {
    const settings = Object.entries(query.settings ?? {});
    return {
      sql: RunningQueries.marked(id, query.sql),
      before: parameters(query),
      database: quoteIdentifier(query.database ?? DEFAULT_DATABASE),
      format: engineFormat(query.format),
      args: [
        ...args,
        ...settings.map(([name, value]) => `--${name}=${value}`),
        `--output_format_json_array_of_rows=${query.format === 'ndjson' ? 0 : 1}`,
      ],
    };
  }
}

const DEFAULT_DATABASE = 'default';
const ONE_THREAD = '--max_threads=1';
/** The engine's error number for a result that exceeds its limit. */
const TOO_MANY_ROWS_OR_BYTES = 396;
/** The engine would not stream these results, and they are always small. */
const TELLS = /^(?:EXPLAIN|DESCRIBE)\b/i;

/**
 * Values of placeholders are set in the session, because values bound to a call would be shared by
 * all concurrent calls.
 */
function parameters({ params = {} }: WarehouseQuery): string[] {
  const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\t': '\\t' };
  return Object.entries(params).map(([name, value]) => {
    const field = String(value).replace(/[\\\n\t]/g, (each) => certain(escapes[each], 'escape'));
    return `SET param_${name} = ${quoteText(field)}`;
  });
}

const TIME_LIMIT = '--max_execution_time=';

const withTimeout = (args: readonly string[], seconds: number): readonly string[] =>
  args.map((arg) => (arg.startsWith(TIME_LIMIT) ? `${TIME_LIMIT}${seconds}` : arg));

/** A caller who wants statistics gets them while the engine still has the query. */
const isAhead = (query: WarehouseQuery): boolean => !watcherOf(query);

/** The caller wants statistics; both ways cost the same here. */
const watcherOf = ({ onProgress, onReading }: WarehouseQuery) => onProgress ?? onReading;

/** The next block is made while this one is sent. */
function following(lease: Lease, query: WarehouseQuery): Promise<Block | undefined> {
  const next = lease.work((thread) => thread.next(), watcherOf(query));
  // It may fail before it is awaited.
  next.catch(() => undefined);
  return next;
}

interface Opened {
  readonly first: Block | undefined;
  readonly second: Promise<Block | undefined> | undefined;
}

async function* blocks(
  lease: Lease,
  { first, second }: Opened,
  query: WarehouseQuery,
  learn: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const joiner = chunkJoiner(query.format);
  const watcher = watcherOf(query);
  let sent = 0;
  try {
    let next = second;
    for (let block = first; block !== undefined;) {
      const { bytes, rows } = block;
      sent += bytes.byteLength;
      handOver(bytes);
      if (watcher) await lease.report(watcher);
      next ??= following(lease, query);
      lease.idle();
      yield* joiner.next(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), rows);
      lease.busy();
      block = await next;
      next = undefined;
    }
    query.signal?.throwIfAborted();
    // The engine does not distinguish an interrupted answer from a complete one, so the lease is
    // asked.
    lease.live();
    learn(sent);
    yield* joiner.end();
  } catch (error) {
    if (error instanceof WarehouseError) throw error;
    query.signal?.throwIfAborted();
    throw toWarehouseError(error);
  } finally {
    void lease.end();
  }
}
