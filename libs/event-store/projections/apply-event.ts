import { Backoff } from '@app/flow';
import { stepsOf, type RecordedEvent } from '../event.js';
import type { Projection } from './projection.js';

export interface Runner {
  readonly projection: Projection;
  /** The position up to which it has all events. */
  applied: bigint;
  /** The number of steps of the next event that were applied: see `stepsOf`. */
  steps: number;
}

interface Attempts {
  readonly signal: AbortSignal;
  failed(this: void, error: unknown): void;
}

const BACKOFF_MS = { first: 100, most: 5000 };

/** Nothing is waited for where a projection has nothing to wait for: a start is a million of these. */
export function applyOnce(runner: Runner, event: RecordedEvent): Promise<void> | undefined {
  if (event.position <= runner.applied) return;
  if (event.steps) return applySteps(runner, event);
  const applying = runner.projection.apply(event);
  const done = (): void => {
    runner.applied = event.position;
  };
  return applying ? applying.then(done) : void done();
}

async function applySteps(runner: Runner, event: RecordedEvent): Promise<void> {
  const steps = stepsOf(event);
  for (let step = steps[runner.steps]; step; step = steps[runner.steps]) {
    await runner.projection.apply(step);
    runner.steps += 1;
  }
  runner.steps = 0;
  runner.applied = event.position;
}

/** Tries again until it succeeds. @returns false where it ends before */
export async function applyUntilDone(
  runner: Runner,
  event: RecordedEvent,
  { signal, failed }: Attempts,
): Promise<boolean> {
  const backoff = new Backoff(BACKOFF_MS);
  while (!signal.aborted) {
    try {
      await applyOnce(runner, event);
      return true;
    } catch (error) {
      // Work that ends because it was told to has not failed; the next start does it again.
      if (signal.aborted) return false;
      failed(error);
    }
    await backoff.wait(signal);
  }
  return false;
}
