import { z } from 'zod';

/** The engine answers nothing with less. */
export const ENGINE_MIN_BYTES = 512 * 1024 * 1024;

/**
 * The bytes that the embedded engine's process may take. Undefined means half of the machine's
 * memory, and at least so much.
 */
export const engineMemory = z
  .string()
  .regex(/^\d+$/, 'want a whole number')
  .transform(Number)
  .refine((bytes) => bytes >= ENGINE_MIN_BYTES, `want at least ${ENGINE_MIN_BYTES}`)
  .optional();
