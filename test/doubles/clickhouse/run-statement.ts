import type { Session } from 'chdb';
import { chunkJoiner } from '../../../libs/warehouse/chdb/join-chunks.js';
import { refuseForeign, type Access } from './access.js';
import { DoubleError } from './double-error.js';
import type { DoubleEngine } from './double-engine.js';
import { onOneNode } from './one-node-cluster.js';
import type { DoubleRequest } from './read-request.js';
import { asValues, type RunningQueries } from './running-queries.js';

export interface Answer {
  readonly format: string;
  /** The engine's summary, as far as it is known before the first byte. */
  readonly summary: Readonly<Record<string, string>>;
  readonly bytes: AsyncIterable<Buffer>;
}

const FORMAT = /\s+FORMAT\s+(\w+)\s*;?\s*$/i;
/** A DESCRIBE tells the columns of a statement. A user who may read its tables may ask for it. */
const DESCRIBES = /^\s*DESCRIBE TABLE \(([\s\S]*)\)\s*$/i;
const STREAMS = /^\s*(?:SELECT|WITH|\()/i;
const INPUT = /\binput\(\s*('(?:[^'\\]|\\.)*')\s*\)/;
const KILL = /^\s*KILL\s+QUERY\s+WHERE\s+([^]*?)\s+(?:SYNC|ASYNC)\s*$/i;

interface Asker {
  readonly access: Access;
  readonly user: string;
}

/** Runs one request's statement. @throws before the first byte what the engine can tell by then. */
export async function runStatement(
  engine: DoubleEngine,
  request: DoubleRequest,
  running: RunningQueries,
  signal: AbortSignal,
  { access, user }: Asker,
): Promise<Answer> {
  const format = FORMAT.exec(request.statement)?.[1] ?? request.format;
  const here = onOneNode(request.statement);
  if (here === undefined) return { format, summary: {}, bytes: none() };
  const statement = prepared({ ...request, statement: here }, running);
  if (statement.length < 65_536 && (await engine.isSeveral(statement)))
    throw new DoubleError(62, 'SYNTAX_ERROR', 'Syntax error (Multi-statements are not allowed)');
  const readable = access.readable(user, request.role);
  if (!readable && access.define(statement)) return { format, summary: {}, bytes: none() };
  const { session, release } = await engine.open(request);
  try {
    if (readable) await checkRights(session, statement, user, readable);
    signal.throwIfAborted();
    const killed = KILL.exec(statement)?.[1];
    if (killed !== undefined) {
      await kill(session, killed, running);
      release();
      return { format, summary: {}, bytes: none() };
    }
    const awaited = request.settings.get('wait_end_of_query') === '1';
    if (STREAMS.test(statement) && !awaited)
      return await streamed(session, statement, format, request, { signal, release });
    const result = await session.queryAsync(statement, { format });
    const bytes = Buffer.from(result.bytes());
    release();
    const summary = { read_rows: String(result.rowsRead), read_bytes: String(result.bytesRead) };
    return { format, summary, bytes: only(bytes) };
  } catch (error) {
    release();
    throw error;
  }
}

function prepared({ statement, dataFile }: DoubleRequest, running: RunningQueries): string {
  const asked = statement.replaceAll('system.processes', () => asValues(running.all()));
  if (dataFile === undefined) return asked.replace(FORMAT, '');
  const dataFormat = FORMAT.exec(statement)?.[1] ?? 'Native';
  const bare = asked.replace(FORMAT, '');
  const source = `file('${dataFile}', ${dataFormat}`;
  if (INPUT.test(bare)) return bare.replace(INPUT, (_, structure: string) => `${source}, ${structure})`); // prettier-ignore
  return `${bare} SELECT * FROM ${source})`;
}

/**
 * Checks rights as a server does for a user who may read some databases only. An EXPLAIN of names
 * as they stand reads none.
 */
async function checkRights(
  session: Session,
  statement: string,
  user: string,
  readable: ReadonlySet<string>,
): Promise<void> {
  if (/^\s*EXPLAIN\b/i.test(statement)) return;
  const select = DESCRIBES.exec(statement)?.[1] ?? statement;
  if (!STREAMS.test(select))
    throw new DoubleError(497, 'ACCESS_DENIED', `${user}: Not enough privileges.`);
  const tree = await session.queryAsync(`EXPLAIN QUERY TREE run_passes = 1 ${select}`, { format: 'TSVRaw' }); // prettier-ignore
  refuseForeign(tree.text(), user, readable);
}

/** Ends the queries that meet the condition, and waits until they have ended. */
async function kill(session: Session, condition: string, running: RunningQueries): Promise<void> {
  const found = await session.queryAsync(`SELECT query_id FROM ${asValues(running.all())} WHERE ${condition}`, { format: 'TSVRaw' }); // prettier-ignore
  const ids = new Set(found.text().trim().split('\n'));
  const targets = running.all().filter(({ id }) => ids.has(id));
  const killed = new DoubleError(394, 'QUERY_WAS_CANCELLED', 'Query was cancelled.');
  for (const { gone } of targets) gone.abort(killed);
  await Promise.all(targets.map(({ ended }) => ended));
}

async function streamed(
  session: Session,
  statement: string,
  format: string,
  { settings }: DoubleRequest,
  { signal, release }: { signal: AbortSignal; release: () => void },
): Promise<Answer> {
  const stream = session.queryStream(statement, { format });
  const cancel = (): void => stream.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  // The embedded engine makes a document of each block.
  const isArray = settings.get('output_format_json_array_of_rows') === '1';
  const joiner = chunkJoiner(
    format === 'JSONEachRow' && isArray ? 'json' : format === 'CSVWithNames' ? 'csv' : 'text',
  );
  async function* blocks(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of stream) {
        const raw = chunk.raw();
        yield* joiner.next(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), chunk.numRows);
      }
      signal.throwIfAborted();
      yield* joiner.end();
    } finally {
      signal.removeEventListener('abort', cancel);
      stream.cancel();
      release();
    }
  }
  const all = blocks();
  const first = await all.next();
  async function* bytes(): AsyncGenerator<Buffer> {
    if (!first.done) yield first.value;
    yield* all;
  }
  return { format, summary: {}, bytes: bytes() };
}

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function* none(): AsyncGenerator<Buffer> {
  // Nothing to tell.
}
