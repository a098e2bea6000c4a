import cliProgress from 'cli-progress';

const STEPS = 1000;

interface ProgressBar {
  update(position: bigint): void;
  end(summary: string): void;
}

/** Shows on stderr how far a replay is; without a terminal, only its end. */
export function progressBar(name: string, last: bigint): ProgressBar {
  const started = performance.now();
  const bar = new cliProgress.SingleBar({
    format: `${name} {bar} {percentage}% | {duration_formatted}, {eta_formatted} left`,
    stream: process.stderr,
    hideCursor: true,
  });
  if (last > 0n) bar.start(STEPS, 0);
  let shown = 0;
  return {
    update(position) {
      const step = last > 0n ? Number((position * BigInt(STEPS)) / last) : 0;
      if (step === shown) return;
      shown = step;
      bar.update(step);
    },
    end(summary) {
      bar.stop();
      const seconds = ((performance.now() - started) / 1000).toFixed(2);
      console.log(`${name}: ${summary} in ${seconds} s`);
    },
  };
}
