// @ts-check
// Standard input as the engine can read it: Node.js hands a socket to a child that does not block,
// which the engine takes for one that has ended.
import { createRequire } from 'node:module';
import process from 'node:process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { DataType, load, open } from 'ffi-rs';

const LIBRARY = process.platform === 'darwin' ? 'libSystem.B.dylib' : 'libc.so.6';
/** The time that the engine has for an orderly end. After it, the process is ended by force. */
const END_MS = 4000;
/** A thread can be ended between two calls only, so a call does not take longer than this. */
const LOOK_MS = 1000;

/**
 * Waits for the end of input, in a thread beside the engine's. The system wakes it: to look for
 * itself twenty times a second was a third of what an idle engine costs.
 */
const WATCH = `
const { readSync, closeSync } = require('node:fs');
const { workerData } = require('node:worker_threads');
const { DataType, load } = require(workerData.ffi);
const bytes = Buffer.alloc(1);
const POLLIN = 1;
const asked = Buffer.alloc(8);
asked.writeInt32LE(workerData.input, 0);
asked.writeInt16LE(POLLIN, 4);
const poll = {
  library: 'libc',
  funcName: 'poll',
  retType: DataType.I32,
  paramsType: [DataType.U8Array, DataType.I32, DataType.I32],
  paramsValue: [asked, 1, ${LOOK_MS}],
};
const isOpen = () => {
  load(poll);
  try {
    return readSync(workerData.input, bytes) > 0;
  } catch (error) {
    // There is nothing to read now, because nobody ever writes.
    return error.code === 'EAGAIN';
  }
};
while (isOpen());
closeSync(workerData.pipe);
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${END_MS});
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
    workerData: {
      ffi: createRequire(import.meta.url).resolve('ffi-rs'),
      input,
      pipe: ends.readInt32LE(4),
    },
  });
  await once(worker, 'online');
}
