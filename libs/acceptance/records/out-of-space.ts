import { isDiskFull } from '@app/platform';
import { WarehouseError } from '@app/warehouse';

/**
 * The engine's error numbers for a full disk: NOT_ENOUGH_SPACE, CANNOT_WRITE_TO_FILE_DESCRIPTOR,
 * CANNOT_OPEN_FILE, CANNOT_CLOSE_FILE.
 */
const ENGINE_NUMBERS = new Set([243, 75, 76, 77]);

/** Tells whether a failure means that the disk is full, in this process or in the engine. */
export function isOutOfSpace(error: unknown): boolean {
  if (error instanceof WarehouseError) return ENGINE_NUMBERS.has(error.code);
  return isDiskFull(error);
}
