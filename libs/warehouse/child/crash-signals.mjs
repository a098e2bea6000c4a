// @ts-check
// How a process with an engine in it ends when it crashes; plain JavaScript as libc.mjs is.
import process from 'node:process';
import { callC, I32, I64, U8Array } from './libc.mjs';

/** The signals that end a process which cannot go on, by their numbers; some are others on macOS. */
const LINUX = { ill: 4, trap: 5, abrt: 6, bus: 7, fpe: 8, segv: 11, sys: 31 };
const MACOS = { ...LINUX, bus: 10, sys: 12 };
const CRASHES = Object.values(process.platform === 'linux' ? LINUX : MACOS);
/** More than `struct sigaction` has on any of our systems. */
const ACTION_BYTES = 256;
const RLIMIT_CORE = 4;
const RLIMIT_BYTES = 16;

/**
 * Opens an engine, and puts back how the process ends when it crashes. The engine's library takes
 * these signals: its handler waits up to five minutes for a thread that is to print a stack, which
 * this library does not have, and nobody is answered, nor told that the process is lost. As Node
 * has them, a process whose heap is full ends at once. It leaves no core dump, which would hold
 * every tenant's rows, and take as long as the disk takes to write them.
 * @template Opened
 * @param {() => Opened} openEngine
 * @returns {Opened}
 */
export function keepingCrashSignals(openEngine) {
  leaveNoCore();
  const before = CRASHES.map((signal) => ({ signal, action: actionOf(signal) }));
  try {
    return openEngine();
  } finally {
    for (const { signal, action } of before)
      callC('sigaction', [I32, U8Array, I64], [signal, action, 0]);
  }
}

/** @param {number} signal @returns {Buffer} */
function actionOf(signal) {
  const action = Buffer.alloc(ACTION_BYTES);
  callC('sigaction', [I32, I64, U8Array], [signal, 0, action]);
  return action;
}

function leaveNoCore() {
  const limit = Buffer.alloc(RLIMIT_BYTES);
  callC('getrlimit', [I32, U8Array], [RLIMIT_CORE, limit]);
  // The one in force, below the one it may be raised to.
  limit.fill(0, 0, RLIMIT_BYTES / 2);
  callC('setrlimit', [I32, U8Array], [RLIMIT_CORE, limit]);
}
