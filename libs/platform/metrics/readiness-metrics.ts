import type { Readiness } from '../health/readiness.js';
import { gauge } from './registry.js';

/** Exports from now on whether the components that a process needs are ready. */
export function measureReadiness(readiness: Readiness): void {
  gauge({
    name: 'millrace_component_ready',
    help: '1 while a component that the process needs can be reached and works: a store, the disk, the read models',
    labelNames: ['component'],
    collect: async (ready) => {
      for (const [component, reason] of await readiness.states())
        ready.set({ component }, reason === undefined ? 1 : 0);
    },
  });
  // Alerts of operators use the name that releases up to 0.2 have, so one more release exports it.
  gauge({
    name: 'millrace_part_ready',
    help: 'the former name of millrace_component_ready; a later release drops it',
    labelNames: ['part'],
    collect: async (ready) => {
      for (const [component, reason] of await readiness.states())
        ready.set({ part: component }, reason === undefined ? 1 : 0);
    },
  });
}
