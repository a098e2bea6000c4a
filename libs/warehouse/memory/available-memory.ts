import { totalmem } from 'node:os';

/** With less memory, the engine answers nothing. */
export const ENGINE_MIN_BYTES = 512 * 1024 * 1024;

/** Gives the memory of this machine, or the share of it that a container's limit allows. */
export function availableMemory(): number {
  const constrained = process.constrainedMemory();
  const total = totalmem();
  return constrained > 0 && constrained < total ? constrained : total;
}
