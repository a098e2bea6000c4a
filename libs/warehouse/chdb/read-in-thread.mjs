// @ts-check
// What a reading thread runs: see reading-thread.ts. It is plain JavaScript because a thread
// starts from a file that node can run as it is, from the sources too.
//
// Messages in: { open: Reading }, { next: true }, { leave: true }, each with the number of its turn,
// and { end: true }. Messages out: { bytes, rows }, { done: true }, { failed: message }, one for each
// open and next, and where it goes ahead two for open: the engine is asked for the second block at
// once, since most results have one. { left: true } for leave. Each has the turn of what it answers.
// After end the thread exits.
import { parentPort, workerData } from 'node:worker_threads';
import { drainPending, Session } from 'chdb';

/** @typedef {{ session: Session, database: string | undefined }} OpenSession */
/** @typedef {{ sql: string, before: string[], database: string, format: string, args: string[], whole: boolean, ahead: boolean }} Reading */

/** By their arguments; few combinations, since these are formats and allowed settings. @type {Map<string, OpenSession>} */
const sessions = new Map();
const SESSIONS_MAX = 4;

/** @type {OpenSession | undefined} */
let current;
/** @type {import('chdb').ChdbQueryStream | undefined} */
let stream;
/** @type {AsyncIterator<import('chdb').StreamChunk> | undefined} */
let chunks;

/** @param {string[]} args */
function sessionWith(args) {
  const key = args.join('\0');
  let open = sessions.get(key);
  if (!open) {
    for (const [oldest, { session }] of sessions) {
      if (sessions.size < SESSIONS_MAX) break;
      session.close();
      sessions.delete(oldest);
    }
    open = { session: new Session(workerData.path, { connectionArgs: args }), database: undefined };
  }
  // The last used stands last.
  sessions.delete(key);
  sessions.set(key, open);
  return open;
}

/** @param {Reading} reading */
async function open({ sql, before, database, format, args, whole }) {
  current = sessionWith(args);
  const { session } = current;
  if (current.database !== database) {
    current.database = undefined;
    await session.queryAsync(`USE ${database}`);
    current.database = database;
  }
  for (const statement of before) await session.queryAsync(statement);
  if (whole) {
    const bytes = new Uint8Array((await session.queryAsync(sql, { format })).bytes());
    return bytes.length > 0 ? { bytes, rows: 1 } : { done: true };
  }
  // Analysis, scalar subqueries and constant expressions run in here, for as long as they take.
  stream = session.queryStream(sql, { format });
  chunks = stream[Symbol.asyncIterator]();
  return next();
}

async function next() {
  const step = await chunks?.next();
  if (!step || step.done) {
    stream = undefined;
    chunks = undefined;
    return { done: true };
  }
  const raw = step.value.raw();
  const whole = raw.byteLength === raw.buffer.byteLength && raw.buffer instanceof ArrayBuffer;
  return { bytes: whole ? raw : new Uint8Array(raw), rows: step.value.numRows };
}

/** Whatever a stream that was not read to its end still holds goes with the session's next statement. */
async function leave() {
  const unfinished = stream !== undefined;
  stream?.cancel();
  stream = undefined;
  chunks = undefined;
  if (unfinished) await current?.session.queryAsync('SELECT 1').catch(() => undefined);
  return { left: true };
}

async function end() {
  await leave();
  for (const { session } of sessions.values()) session.close();
  await drainPending();
  parentPort?.close();
}

/** @param {{ turn: number, open?: Reading, next?: true, leave?: true, end?: true }} message */
async function answer(message) {
  if (message.end) return end();
  const { turn } = message;
  if (message.leave) return parentPort?.postMessage({ turn, ...(await leave()) });
  if (!message.open) return tell(turn, next());
  const goesOn = await tell(turn, open(message.open));
  if (goesOn && message.open.ahead) await tell(turn, next());
}

/**
 * Whether more may come.
 * @param {number} turn
 * @param {Promise<{ bytes?: Uint8Array<ArrayBuffer>, rows?: number, done?: boolean }>} making
 */
async function tell(turn, making) {
  try {
    const made = await making;
    parentPort?.postMessage({ turn, ...made }, made.bytes ? [made.bytes.buffer] : []);
    return made.bytes !== undefined;
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error);
    parentPort?.postMessage({ turn, failed });
    return false;
  }
}

parentPort?.on('message', (message) => void answer(message));
