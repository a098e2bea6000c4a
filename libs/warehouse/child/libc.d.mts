import type { DataType } from 'ffi-rs';

export const I32: DataType.I32;
export const I64: DataType.I64;
export const U8Array: DataType.U8Array;
export type Parameter = DataType.I32 | DataType.I64 | DataType.U8Array;

/** A call of the C library, which Node.js has not. Answers what it returns. @throws when that is below 0 */
export function callC(
  funcName: string,
  paramsType: Parameter[],
  paramsValue: (number | Buffer)[],
): number;
