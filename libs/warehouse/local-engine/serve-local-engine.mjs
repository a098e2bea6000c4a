// @ts-check
// The engine that reads tables and rewrites batches, in a process of its own. It answers one JSON
// message a line on descriptor 3, and ends when that does; see engine-messages.ts for the messages.
import { open, truncate } from 'node:fs/promises';
import { connect, Socket } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers';
import { MessageChannel } from 'node:worker_threads';
import { drainPending, Session } from 'chdb';
import { keepingCrashSignals } from '../child/crash-signals.mjs';
import { asking, isCleared } from '../child/open-sessions.mjs';
import { onLine } from './message-lines.mjs';

const CHANNEL = 3;
/** The time that the engine has for an orderly end. After it, the process is ended by force. */
const END_MS = 4000;
/** A file outside of every fence: whether it can be read shows whether there is a fence. */
const OUTSIDE = '/etc/passwd';
/** A port on which nobody needs to listen. */
const DISCARD = 9;

const { path, config, statements, tables } = JSON.parse(process.argv[2] ?? '{}');
const first = keepingCrashSignals(
  () => new Session(path, { connectionArgs: [`--config-file=${config}`] }),
);

/** @typedef {{ readonly id: number, readonly directory: string, readonly sql: string, readonly index: number, readonly rows: number, readonly bytes: number, readonly rowsMax: number, readonly bytesMax: number }} Spooling */

/** Sessions that do one thing at a time; later callers wait in order. */
class Sessions {
  /** @type {Session[]} */
  #idle = [];
  /** @type {((session: Session) => void)[]} */
  #waiting = [];
  #made = 0;
  #args;
  #size;

  /** @param {{ readonly args: string[], readonly size: number }} options */
  constructor({ args, size }) {
    this.#args = args;
    this.#size = size;
  }

  /** @returns {Promise<Session>} */
  async acquire() {
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#made < this.#size) {
      this.#made += 1;
      return this.#open();
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** @param {Session} session @param {boolean} [failed] what it still holds must not come with its next answer */
  async release(session, failed = false) {
    const isUsable = !failed || (await isCleared(asking(session)));
    if (!isUsable) session.close();
    const usable = isUsable ? session : this.#open();
    const next = this.#waiting.shift();
    if (next) next(usable);
    else this.#idle.push(usable);
  }

  #open() {
    return new Session(path, { connectionArgs: this.#args });
  }
}

const accepting = new Sessions(statements);
const extracting = new Sessions(tables);
const channel = new Socket({ fd: CHANNEL, readable: true, writable: true });
/** @type {Map<number, (isWanted: boolean) => void>} who waits to be asked for the next rows */
const paused = new Map();

/** A port without a listener. @see release-memory.ts */
const { port1: nowhere } = new MessageChannel();
nowhere.close();

/** @param {object} message */
const answer = (message) => channel.write(`${JSON.stringify(message)}\n`);

/** @param {number} id @param {any} error */
const fail = (id, error) =>
  answer({
    id,
    failed: { message: error.message, code: error.code, type: error.type, syscall: error.syscall },
  });

/** @param {number} id @param {string} sql @param {Record<string, string> | undefined} params */
async function run(id, sql, params) {
  const session = await accepting.acquire();
  const options = { format: /** @type {const} */ ('TSVRaw') };
  try {
    const result = params
      ? await session.queryBindAsync(sql, params, options)
      : await session.queryAsync(sql, options);
    answer({ id, text: result.text() });
    await accepting.release(session);
  } catch (error) {
    fail(id, error);
    await accepting.release(session, true);
  }
}

/**
 * Writes rows into files, and reports each full file. It goes on when it is asked for more.
 * @param {Spooling} spooling
 */
async function spool(spooling) {
  const { id, sql, directory, rowsMax, bytesMax } = spooling;
  const session = await extracting.acquire();
  let { index, rows, bytes } = spooling;
  let added = { rows: 0, bytes: 0 };
  /** @type {import('node:fs/promises').FileHandle | undefined} */
  let handle;
  const file = () => join(directory, `${index}.native`);
  /** @param {boolean} isFull */
  const told = async (isFull) => {
    await handle?.close();
    handle = undefined;
    answer({ id, rows: added.rows, bytes: added.bytes, index, isFull });
    added = { rows: 0, bytes: 0 };
  };
  try {
    // A process that has ended may have written bytes behind those that are known.
    if (bytes > 0) await truncate(file(), bytes);
    const stream = session.queryStream(sql, { format: 'Native' });
    try {
      for await (const chunk of stream) {
        if (chunk.numRows === 0) continue;
        const block = chunk.raw();
        handle ??= await open(file(), bytes > 0 ? 'a' : 'w');
        await handle.writeFile(block);
        const size = block.length;
        added = { rows: added.rows + chunk.numRows, bytes: added.bytes + size };
        rows += chunk.numRows;
        bytes += size;
        // The memory of the block is freed here: blocks of a mebibyte each would keep the garbage
        // collector running all the time.
        if (block.byteLength === block.buffer.byteLength)
          nowhere.postMessage(undefined, [/** @type {ArrayBuffer} */ (block.buffer)]);
        if (bytes < bytesMax && rows < rowsMax) continue;
        const goOn = new Promise((resolve) => paused.set(id, resolve));
        await told(true);
        [index, rows, bytes] = [index + 1, 0, 0];
        if (!(await goOn)) break;
      }
      if (added.rows > 0) await told(false);
      answer({ id, done: true });
    } finally {
      stream.cancel();
    }
    await extracting.release(session);
  } catch (error) {
    fail(id, error);
    await extracting.release(session, true);
  } finally {
    await handle?.close();
  }
}

async function end() {
  setTimeout(() => process.exit(1), END_MS);
  first.close();
  await drainPending();
  process.exit(0);
}

/** @returns {Promise<boolean>} whether the kernel keeps this process from files that are not its own */
async function isFenced() {
  try {
    await (await open(OUTSIDE)).close();
    return false;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EACCES';
  }
}

/** @returns {Promise<boolean>} whether it keeps it from connections */
const isAlone = () =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: DISCARD });
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', (error) =>
      resolve(/** @type {NodeJS.ErrnoException} */ (error).code === 'EACCES'),
    );
  });

channel.on('error', () => undefined);
channel.once('close', () => void end());
onLine(channel, (line) => {
  const message = JSON.parse(line);
  const { id } = message;
  if (message.run !== undefined) void run(id, message.run, message.params);
  else if (message.spool) void spool({ id, ...message.spool });
  else {
    paused.get(id)?.(message.next === true);
    paused.delete(id);
  }
});
answer({ ready: { files: await isFenced(), tcp: await isAlone() } });
