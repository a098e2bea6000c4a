import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { countPassedBytes } from './passed-bytes.js';

const { NODE_PERFORMANCE_GC_MAJOR, NODE_PERFORMANCE_GC_MINOR } = constants;
const PIECE = 64 * 1024;
const PIECES = (512 * 1024 * 1024) / PIECE;

/** The types of Node.js do not know what the entry of a collection has. */
interface Collection {
  readonly detail: { readonly kind: number };
}

/** Passes half a gibibyte in buffers, and counts the collections by kind meanwhile. */
async function collections(told: (bytes: number) => void): Promise<Map<number, number>> {
  const counted = new Map<number, number>();
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { kind } = (entry as unknown as Collection).detail;
      counted.set(kind, (counted.get(kind) ?? 0) + 1);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  for (let piece = 0; piece < PIECES; piece += 1) {
    told(Buffer.alloc(PIECE, piece).length);
    if (piece % 16 === 0) await turn();
  }
  await turn();
  observer.disconnect();
  return counted;
}

describe('countPassedBytes', () => {
  it('spares searches of all objects', async () => {
    const left = await collections(() => undefined);
    const told = await collections(countPassedBytes);
    const majors = [told, left].map((each) => each.get(NODE_PERFORMANCE_GC_MAJOR) ?? 0);
    expect(majors[0]).toBeLessThan((majors[1] ?? 0) / 2);
    expect(told.get(NODE_PERFORMANCE_GC_MINOR)).toBeGreaterThanOrEqual(16);
  });
});
