/** `npm run campaign`: the same suites as in CI, for hours instead of minutes. */
export const CAMPAIGN = process.env.MILLRACE_CAMPAIGN === '1';

/** Tells how often a suite repeats its work. */
export const rounds = (ci: number, campaign: number): number => (CAMPAIGN ? campaign : ci);

/** Tells how long a test of so many rounds may take. */
export const roundsMs = (count: number, eachMs = 60_000): number => 120_000 + count * eachMs;
