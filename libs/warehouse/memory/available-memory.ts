import { totalmem } from 'node:os';

/** Gives the memory of this machine, or the part of it that a container lets its processes take. */
export function availableMemory(): number {
  const constrained = process.constrainedMemory();
  const total = totalmem();
  return constrained > 0 && constrained < total ? constrained : total;
}
