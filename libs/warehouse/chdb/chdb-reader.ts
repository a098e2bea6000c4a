import { Readable } from 'node:stream';
import type { ChdbQueryStream } from 'chdb';
import { quoteIdentifier } from '../identifier.js';
import { toWarehouseError } from '../warehouse-errors.js';
import type { WarehouseQuery, WarehouseReader } from '../warehouse.js';
import { ENGINE_FORMAT } from '../sql/read-settings.js';
import { chunkJoiner } from './join-chunks.js';
import type { PooledSession, SessionPool } from './session-pool.js';

/** Reads through the engine's own streams: through the client a large result is held in memory whole. */
export class ChdbReader implements WarehouseReader {
  constructor(
    private readonly documents: SessionPool,
    /** Sessions that write a JSON row a line: a read-only session cannot change its format settings. */
    private readonly lines: SessionPool,
  ) {}

  async stream(query: WarehouseQuery): Promise<Readable> {
    const sessions = query.format === 'ndjson' ? this.lines : this.documents;
    const pooled = await sessions.acquire();
    let rows: AsyncGenerator<Buffer[]>;
    let first: IteratorResult<Buffer[]>;
    try {
      query.signal?.throwIfAborted();
      await prepare(pooled, query);
      rows = blocks(open(pooled, query), query);
      first = await rows.next();
    } catch (error) {
      sessions.release(pooled);
      throw toWarehouseError(error);
    }
    return Readable.from(
      bytes(first, rows, () => sessions.release(pooled)),
      { objectMode: false },
    );
  }

  text(query: WarehouseQuery): Promise<string> {
    return this.documents.use(async (pooled) => {
      try {
        query.signal?.throwIfAborted();
        await prepare(pooled, query);
        const options = { format: ENGINE_FORMAT[query.format] };
        const result = query.params
          ? await pooled.session.queryBindAsync(query.sql, query.params, options)
          : await pooled.session.queryAsync(query.sql, options);
        return result.text();
      } catch (error) {
        throw toWarehouseError(error);
      }
    });
  }
}

async function* bytes(
  first: IteratorResult<Buffer[]>,
  rest: AsyncGenerator<Buffer[]>,
  release: () => void,
): AsyncGenerator<Buffer> {
  try {
    for (let block = first; !block.done; block = await rest.next()) yield* block.value;
  } catch (error) {
    throw toWarehouseError(error);
  } finally {
    await rest.return(undefined);
    release();
  }
}

function open({ session }: PooledSession, query: WarehouseQuery): ChdbQueryStream {
  const options = { format: ENGINE_FORMAT[query.format] };
  return query.params
    ? session.queryStreamBind(query.sql, query.params, options)
    : session.queryStream(query.sql, options);
}

async function* blocks(stream: ChdbQueryStream, query: WarehouseQuery): AsyncGenerator<Buffer[]> {
  const joiner = chunkJoiner(query.format);
  const cancel = (): void => stream.cancel();
  query.signal?.addEventListener('abort', cancel, { once: true });
  try {
    for await (const chunk of stream) {
      const raw = chunk.raw();
      yield joiner.next(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), chunk.numRows);
    }
    query.signal?.throwIfAborted();
    yield joiner.end();
  } finally {
    query.signal?.removeEventListener('abort', cancel);
    stream.cancel();
  }
}

async function prepare(pooled: PooledSession, query: WarehouseQuery): Promise<void> {
  const database = query.database ?? 'default';
  if (pooled.database !== database) {
    pooled.database = undefined;
    await pooled.session.queryAsync(`USE ${quoteIdentifier(database)}`);
    pooled.database = database;
  }
}
