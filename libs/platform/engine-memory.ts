import { z } from 'zod';

/** The engine answers nothing with less. */
const MIN_BYTES = 512 * 1024 * 1024;

/** What the embedded engine's process may take; undefined: half of what the machine has. */
export const engineMemory = z
  .string()
  .regex(/^\d+$/, 'want a whole number')
  .transform(Number)
  .refine((bytes) => bytes >= MIN_BYTES, `want at least ${MIN_BYTES}`)
  .optional();
