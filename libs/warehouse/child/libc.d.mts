import type { DataType } from 'ffi-rs';

export const I32: DataType.I32;
export const I64: DataType.I64;
export const U8Array: DataType.U8Array;
export type Parameter = DataType.I32 | DataType.I64 | DataType.U8Array;

/**
 * Makes a call of the C library that Node.js does not offer.
 * @returns the result of the call
 * @throws when that is below 0
 */
export function callC(
  funcName: string,
  paramsType: Parameter[],
  paramsValue: (number | Buffer)[],
): number;
