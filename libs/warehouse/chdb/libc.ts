import { createRequire } from 'node:module';
import type { DataType } from 'ffi-rs';

const LIBRARY = 'libc';

const {
  DataType: types,
  load,
  open,
} = withoutStack(() => createRequire(import.meta.url)('ffi-rs') as typeof import('ffi-rs'));
export const { I32, I64, U8Array } = types;
type Parameter = DataType.I32 | DataType.I64 | DataType.U8Array;

let isOpen = false;

/**
 * A call of the C library, which Node.js has not.
 * @returns what it returns. @throws when that is below 0
 */
export function callC(
  funcName: string,
  paramsType: Parameter[],
  paramsValue: (number | Buffer)[],
): number {
  if (!isOpen) open({ library: LIBRARY, path: process.platform === 'linux' ? '' : 'libSystem.B.dylib' }); // prettier-ignore
  isOpen = true;
  const result = load({ library: LIBRARY, funcName, retType: I32, paramsType, paramsValue });
  if (result < 0) throw new Error(`${funcName} failed`);
  return result;
}

/**
 * It asks Node for a report of the process, to know the C library by. That has a stack in it, for
 * which Node would read all our source maps: a third of a second of each start.
 */
function withoutStack<Loaded>(load: () => Loaded): Loaded {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return load();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
