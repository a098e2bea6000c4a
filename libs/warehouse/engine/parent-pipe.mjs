// @ts-check
// Standard input as the engine can read it: Node.js hands a socket to a child that does not block,
// which the engine takes for one that has ended.
import process from 'node:process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { DataType, load, open } from 'ffi-rs';

const LIBRARY = process.platform === 'darwin' ? 'libSystem.B.dylib' : 'libc.so.6';
/** The time that the engine has for an orderly end. After it, the process is ended by force. */
const END_MS = 4000;
const LOOK_MS = 50;

/** Waits for the end of input, in a thread beside the engine's. */
const WATCH = `
const { readSync, closeSync } = require('node:fs');
const { workerData } = require('node:worker_threads');
const bytes = Buffer.alloc(1);
const pause = new Int32Array(new SharedArrayBuffer(4));
const isOpen = () => {
  try {
    return readSync(workerData.input, bytes) > 0;
  } catch (error) {
    // There is nothing to read now, because nobody ever writes.
    if (error.code !== 'EAGAIN') return false;
    Atomics.wait(pause, 0, 0, ${LOOK_MS});
    return true;
  }
};
while (isOpen());
closeSync(workerData.pipe);
Atomics.wait(pause, 0, 0, ${END_MS});
process.kill(process.pid, 'SIGKILL');
`;

/** @param {string} name @param {(number | Buffer)[]} args @returns {number} */
function call(name, args) {
  const types = args.map((arg) => (Buffer.isBuffer(arg) ? DataType.U8Array : DataType.I32));
  const given = { funcName: name, paramsType: types, paramsValue: args };
  return load({ library: 'libc', retType: DataType.I32, ...given });
}

/** Replaces standard input by a pipe, which ends when the input from the parent ends. */
export async function watchParent() {
  open({ library: 'libc', path: LIBRARY });
  const ends = Buffer.alloc(8);
  if (call('pipe', [ends]) !== 0) throw new Error('no pipe');
  const input = call('dup', [0]);
  call('dup2', [ends.readInt32LE(0), 0]);
  const worker = new Worker(WATCH, {
    eval: true,
    trackUnmanagedFds: false,
    workerData: { input, pipe: ends.readInt32LE(4) },
  });
  await once(worker, 'online');
}
