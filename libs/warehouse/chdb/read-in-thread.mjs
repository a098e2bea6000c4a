// @ts-check
// What a reading thread runs: see reading-thread.ts. It is plain JavaScript because a thread
// starts from a file that node can run as it is, from the sources too.
//
// Messages in: { open: Reading }, { next: true }, { leave: true } and { close: true }, each with the
// number of its turn. Messages out: { bytes, rows }, { done: true }, { failed: message }, one for each
// open and next, and where it goes ahead two for open: the engine is asked for the second block at
// once, since most results have one. { left: true } for leave, { closed: true } for close, after which
// nothing else is asked. Each has the turn of what it answers.
import { parentPort, workerData } from 'node:worker_threads';
import { drainPending } from 'chdb';
import { OpenSessions } from '../child/open-sessions.mjs';

/** @typedef {{ sql: string, before: string[], database: string, format: string, args: string[], ahead: boolean, timeoutSeconds: number }} Reading */

/** The engine's clock has steps of some milliseconds. */
const CLOCKS_APART_MS = 20;
const TIMEOUT =
  'Code: 159. DB::Exception: the time was over before the whole result was taken. (TIMEOUT_EXCEEDED)';

const sessions = new OpenSessions(workerData.path);
/** @type {import('chdb').Session | undefined} */
let current;
/** True while the session may hold something of the query. */
let begun = false;
/** @type {import('chdb').ChdbQueryStream | undefined} */
let stream;
/** @type {AsyncIterator<import('chdb').StreamChunk> | undefined} */
let chunks;

/** When the engine's time for the query is over, on this thread's clock; a little sooner than on its own. */
let over = Infinity;

/** @param {Reading} reading */
async function open(reading) {
  current = await sessions.ready(reading);
  begun = true;
  over = performance.now() + reading.timeoutSeconds * 1000 - CLOCKS_APART_MS;
  // Analysis, scalar subqueries and constant expressions run in here, for as long as they take.
  stream = current.queryStream(reading.sql, { format: reading.format });
  chunks = stream[Symbol.asyncIterator]();
  return next();
}

async function next() {
  const step = await chunks?.next();
  if (!step || step.done) {
    // The engine says the same when its time is over between two of the last blocks, which it then keeps.
    if (performance.now() >= over) throw new Error(TIMEOUT);
    begun = false;
    stream = undefined;
    chunks = undefined;
    return { done: true };
  }
  const raw = step.value.raw();
  const whole = raw.byteLength === raw.buffer.byteLength && raw.buffer instanceof ArrayBuffer;
  return { bytes: whole ? raw : new Uint8Array(raw), rows: step.value.numRows };
}

async function leave() {
  stream?.cancel();
  stream = undefined;
  chunks = undefined;
  if (begun && current) await sessions.clear(current);
  begun = false;
  return { left: true };
}

async function close() {
  await leave();
  sessions.close();
  await drainPending();
  return { closed: true };
}

/** @param {{ turn: number, open?: Reading, next?: true, leave?: true, close?: true }} message */
async function answer(message) {
  const { turn } = message;
  if (message.close) return parentPort?.postMessage({ turn, ...(await close()) });
  if (message.leave) return parentPort?.postMessage({ turn, ...(await leave()) });
  if (!message.open) return tell(turn, next());
  const goesOn = await tell(turn, open(message.open));
  if (goesOn && message.open.ahead) await tell(turn, next());
}

/**
 * Sends an answer, and returns whether more may come.
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
