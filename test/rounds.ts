import { setTimeout as sleep } from 'node:timers/promises';

/** `npm run campaign`: the same suites as in CI, for hours instead of minutes. */
export const CAMPAIGN = process.env.MILLRACE_CAMPAIGN === '1';

/** Tells how often a suite repeats its work. */
export const rounds = (ci: number, campaign: number): number => (CAMPAIGN ? campaign : ci);

/** Tells how long a test of so many rounds may take. */
export const roundsMs = (count: number, eachMs = 60_000): number => 120_000 + count * eachMs;

/**
 * Stands between two requests of a test that sends them without end while something else goes on.
 * In CI they would only take the processor from what goes on; the campaign sends as many as it can.
 */
export const breath = (): Promise<void> => sleep(rounds(20, 0));
