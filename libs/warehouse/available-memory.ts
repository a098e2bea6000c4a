import { totalmem } from 'node:os';

/** What this machine has, or what a container lets its processes take of it. */
export function availableMemory(): number {
  const constrained = process.constrainedMemory();
  const total = totalmem();
  return constrained > 0 && constrained < total ? constrained : total;
}
