/**
 * Processor time of this process, in milliseconds. Limits on work are measured by it, because the
 * clock also counts other work of a busy machine.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const RUNS = 15;
/** After so many runs in which neither time became shorter, more of them would tell nothing new. */
const STEADY_RUNS = 3;
/** A time is shorter when it is less than this of the shortest before. */
const SHORTER = 0.95;

/**
 * Measures how much longer work takes when it is twice as large: about two where it grows as its
 * size does, four where each piece looks at every other. It is measured over two doublings, and the
 * quickest of several runs counts, so that a busy machine changes little.
 * @param of makes what the work is done on, before the time is taken
 */
export function growth<T>(work: (on: T) => unknown, of: (size: number) => T, size: number): number {
  const [small, large] = [of(size), of(4 * size)];
  let [once, fourfold] = [Infinity, Infinity];
  for (let run = 0, steady = 0; run < RUNS && steady < STEADY_RUNS; run += 1) {
    const [ofSmall, ofLarge] = [msOf(() => work(small)), msOf(() => work(large))];
    const isShorter = ofSmall < once * SHORTER || ofLarge < fourfold * SHORTER;
    steady = isShorter ? 0 : steady + 1;
    once = Math.min(once, ofSmall);
    fourfold = Math.min(fourfold, ofLarge);
  }
  return Math.sqrt(fourfold / once);
}

function msOf(work: () => unknown): number {
  const begun = processorMs();
  work();
  return processorMs() - begun;
}
