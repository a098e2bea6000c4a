import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { quoteIdentifier } from '@app/warehouse';
import { z } from 'zod';
import type { FollowConfig } from '../config/follow-config.js';
import type { DescribedColumn } from '../table-description.js';
import { fetched, followedColumns, hostedSchema, hostedSchemas } from './followed-columns.js';
import { conditionOf, type BatchRows, type Chunk, type Reaches } from './plan-fetch.js';

/** The hosted side gave an answer of an unexpected form. */
export class HostedError extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** The seconds that the server asked for, an hour at most. */
    readonly retryAfterSeconds: number | undefined,
  ) {
    super(message);
    this.name = 'HostedError';
  }

  /** Tells whether the caller has to change something before it can work. */
  get isRefusal(): boolean {
    return [401, 403, 404].includes(this.status);
  }
}

const QUESTION_MILLISECONDS = 60_000;
const DOWNLOAD_MILLISECONDS = 10 * 60_000;
/** A server may tell us to come back next year. We ask again after this time at the latest. */
const RETRY_AFTER_SECONDS_MAX = 3600;
const MESSAGE_MAX = 300;
const NOT_FOUND = 404;
/**
 * One question returns at most so many batches; more are asked for when these have been fetched.
 */
const BATCHES_AT_ONCE = 20_000;

const reaches = z.array(z.object({ p: z.int(), last: z.int(), n: z.int() }));
const batches = z.array(z.object({ p: z.int(), o: z.int(), n: z.int() }));

interface HostedRequest {
  readonly method?: 'GET' | 'POST';
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The limit until the last byte has arrived. */
  readonly maxWaitMilliseconds?: number;
}

/** An organization of the hosted service, read over HTTP. */
export class HostedOrganization {
  private readonly base: URL;
  private readonly authorization: string;

  constructor(
    { url, organization, user, password }: Omit<FollowConfig, 'intervalSeconds'>,
    private readonly stop: AbortSignal,
  ) {
    this.base = new URL(`api/${organization}/`, url);
    this.authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  }

  /** Its streams with their columns. @throws {HostedError} @throws when it cannot be reached */
  async streams(
    maxWaitMilliseconds = QUESTION_MILLISECONDS,
  ): Promise<ReadonlyMap<string, readonly DescribedColumn[]>> {
    const answer = await this.request('schema', { maxWaitMilliseconds });
    const schemas = hostedSchemas.parse(await answer.json());
    const own = Object.entries(schemas).filter(([name]) => !name.startsWith('_'));
    return new Map(own.map(([name, { fields }]) => [name, followedColumns(fields)]));
  }

  /**
   * The validator of a stream's rows, which is older than any row read after it.
   * @returns `known` while nothing has changed; undefined where the hosted side gives none
   */
  async tag(stream: string, known: string | undefined): Promise<string | undefined> {
    const headers = known === undefined ? {} : { 'If-None-Match': known };
    const path = `tables/${encodeURIComponent(stream)}?limit=0`;
    const answer = await this.request(path, { headers });
    await answer.body?.cancel();
    return answer.status === 304 ? known : (answer.headers.get('etag') ?? undefined);
  }

  /** Tells how far the stream's rows reach. */
  async reaches(stream: string): Promise<Reaches> {
    const rows = await this.rows(
      `SELECT _partition AS p, max(_offset) AS last, count() AS n FROM ${quoteIdentifier(stream)} GROUP BY p`,
      reaches,
    );
    return new Map(rows.map(({ p, last, n }) => [p, { last, rows: n }]));
  }

  /** The stream's columns; undefined when there is no such stream. */
  async columns(stream: string): Promise<readonly DescribedColumn[] | undefined> {
    try {
      const answer = await this.request(`schema/${encodeURIComponent(stream)}`);
      return followedColumns(hostedSchema.parse(await answer.json()).fields);
    } catch (error) {
      if (error instanceof HostedError && error.status === NOT_FOUND) return undefined;
      throw error;
    }
  }

  /** The first batches within these ranges, in order. */
  async batches(stream: string, which: Pick<Chunk, 'ranges'>): Promise<readonly BatchRows[]> {
    const rows = await this.rows(
      `SELECT _partition AS p, _offset AS o, count() AS n FROM ${quoteIdentifier(stream)} WHERE ${conditionOf(which)} GROUP BY p, o ORDER BY p, o LIMIT ${BATCHES_AT_ONCE}`,
      batches,
    );
    return rows.map(({ p, o, n }) => ({ partition: p, offset: o, rows: n }));
  }

  /** Writes rows of the stream into a Parquet file; without a chunk none, but the columns. */
  async download(
    stream: string,
    columns: readonly DescribedColumn[],
    chunk: Chunk | undefined,
    file: string,
  ): Promise<void> {
    const names = columns.map(fetched).join(', ');
    const which = chunk ? `WHERE ${conditionOf(chunk)}` : 'LIMIT 0';
    const answer = await this.request('sql', {
      method: 'POST',
      body: `SELECT ${names} FROM ${quoteIdentifier(stream)} ${which}`,
      headers: { Accept: 'application/parquet' },
      maxWaitMilliseconds: DOWNLOAD_MILLISECONDS,
    });
    if (!answer.body) throw new Error('the hosted service sent no rows');
    await pipeline(Readable.fromWeb(answer.body), createWriteStream(file, { flush: true }));
  }

  private async rows<Row>(sql: string, schema: z.ZodType<Row[]>): Promise<readonly Row[]> {
    const answer = await this.request('sql', { method: 'POST', body: sql });
    return schema.parse(await answer.json());
  }

  private async request(
    path: string,
    { headers, maxWaitMilliseconds = QUESTION_MILLISECONDS, ...init }: HostedRequest = {},
  ): Promise<Response> {
    const answer = await fetch(new URL(path, this.base), {
      ...init,
      headers: { Accept: 'application/json', ...headers, Authorization: this.authorization },
      // The password must not go to another server that a redirect names.
      redirect: 'error',
      signal: AbortSignal.any([this.stop, AbortSignal.timeout(maxWaitMilliseconds)]),
    });
    if (answer.ok || answer.status === 304) return answer;
    const after = Number(answer.headers.get('retry-after') ?? Number.NaN);
    throw new HostedError(
      answer.status,
      `${this.base.origin} answers ${answer.status}: ${await messageOf(answer)}`,
      Number.isFinite(after) ? Math.min(after, RETRY_AFTER_SECONDS_MAX) : undefined,
    );
  }
}

const refusal = z.object({ message: z.string() });

async function messageOf(answer: Response): Promise<string> {
  const text = await answer.text();
  try {
    return refusal.parse(JSON.parse(text)).message.slice(0, MESSAGE_MAX);
  } catch {
    return text.slice(0, MESSAGE_MAX);
  }
}
