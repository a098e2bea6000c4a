import { totalmem } from 'node:os';

/** The engine answers nothing with less. */
export const ENGINE_MIN_BYTES = 512 * 1024 * 1024;

/** Gives the memory of this machine, or the part of it that a container lets its processes take. */
export function availableMemory(): number {
  const constrained = process.constrainedMemory();
  const total = totalmem();
  return constrained > 0 && constrained < total ? constrained : total;
}
