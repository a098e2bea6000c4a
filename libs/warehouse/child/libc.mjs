// @ts-check
// Calls of the C library; plain JavaScript since the engine of acceptance's process uses it too.
import { createRequire } from 'node:module';
import process from 'node:process';

const LIBRARY = 'libc';

/** @type {typeof import('ffi-rs')} */
const ffi = withoutStack(() => createRequire(import.meta.url)('ffi-rs'));
const { DataType: types, load, open } = ffi;
export const { I32, I64, U8Array } = types;

let isOpen = false;

/**
 * A call of the C library, which Node.js has not.
 * @param {string} funcName
 * @param {import('./libc.mjs').Parameter[]} paramsType
 * @param {(number | Buffer)[]} paramsValue
 * @returns {number} what it returns. @throws when that is below 0
 */
export function callC(funcName, paramsType, paramsValue) {
  if (!isOpen) open({ library: LIBRARY, path: process.platform === 'linux' ? '' : 'libSystem.B.dylib' }); // prettier-ignore
  isOpen = true;
  const result = load({ library: LIBRARY, funcName, retType: I32, paramsType, paramsValue });
  if (result < 0) throw new Error(`${funcName} failed`);
  return result;
}

/**
 * It asks Node for a report of the process, to know the C library by. That has a stack in it, for
 * which Node would read all our source maps: a third of a second of each start.
 * @template Loaded
 * @param {() => Loaded} load
 * @returns {Loaded}
 */
function withoutStack(load) {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return load();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
