import type { Readiness } from '../health/readiness.js';
import { gauge } from './registry.js';

/** Measures what a process rests on from now on. */
export function measureReadiness(readiness: Readiness): void {
  gauge({
    name: 'millrace_part_ready',
    help: '1 while a part that the process rests on can be reached and works: a store, the disk, the read models',
    labelNames: ['part'],
    collect: async (ready) => {
      for (const [component, reason] of await readiness.states())
        ready.set({ part: component }, reason === undefined ? 1 : 0);
    },
  });
}
