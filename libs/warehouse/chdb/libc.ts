import { DataType, load, open } from 'ffi-rs';

const LIBRARY = 'libc';

export const { I32, I64, U8Array } = DataType;
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
