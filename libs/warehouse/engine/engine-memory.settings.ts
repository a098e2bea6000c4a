import { z } from 'zod';
import { ENGINE_MIN_BYTES } from '../memory/available-memory.js';

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
