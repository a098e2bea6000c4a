/**
 * Processor time of this process, in milliseconds. Limits on work are measured by it, because the
 * clock also counts other work of a busy machine.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const RUNS = 15;

/**
 * Measures how much longer work takes when it is twice as large: about two where it grows as its
 * size does, four where each piece looks at every other. It is measured over two doublings, and the
 * quickest of several runs counts, so that a busy machine changes little.
 * @param of makes what the work is done on, before the time is taken
 */
export function growth<T>(work: (on: T) => unknown, of: (size: number) => T, size: number): number {
  const [small, large] = [of(size), of(4 * size)];
  let [once, fourfold] = [Infinity, Infinity];
  for (let run = 0; run < RUNS; run += 1) {
    once = Math.min(
      once,
      msOf(() => work(small)),
    );
    fourfold = Math.min(
      fourfold,
      msOf(() => work(large)),
    );
  }
  return Math.sqrt(fourfold / once);
}

function msOf(work: () => unknown): number {
  const begun = processorMs();
  work();
  return processorMs() - begun;
}
