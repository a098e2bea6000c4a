/** These ranges end now. */
export const LAST = {
  '15m': { title: 'Last 15 minutes', seconds: 15 * 60 },
  '1h': { title: 'Last hour', seconds: 3600 },
  '24h': { title: 'Last 24 hours', seconds: 86_400 },
  '7d': { title: 'Last 7 days', seconds: 7 * 86_400 },
  '30d': { title: 'Last 30 days', seconds: 30 * 86_400 },
  all: { title: 'All times', seconds: undefined },
} as const;

/** Both ends are in milliseconds since the epoch. */
export interface Span {
  /** Undefined stands for "since ever". */
  readonly start: number | undefined;
  readonly end: number;
}

const FROM_TO = /^(\S+?)\.\.(\S+)$/;

/** The newest record has the time of now, or is a little ahead. */
const AHEAD_MS = 1000;

/**
 * Finds what a range of the address means at this time.
 * @param range is the key of a range that ends now, or `<from>..<to>`, times in ISO 8601
 * @returns undefined where it is neither, or ends before it begins
 */
export function spanOf(range: string, now: number): Span | undefined {
  if (isLast(range)) {
    const { seconds } = LAST[range];
    const end = now + AHEAD_MS;
    return { start: seconds === undefined ? undefined : end - seconds * 1000, end };
  }
  const [, from = '', to = ''] = FROM_TO.exec(range) ?? [];
  const [start, end] = [Date.parse(from), Date.parse(to)];
  return start < end ? { start, end } : undefined;
}

export const isLast = (range: string): range is keyof typeof LAST => Object.hasOwn(LAST, range);

/** Writes the range from one time to another as it stands in the address. */
export const rangeBetween = (start: number, end: number): string =>
  [start, end].map((time) => new Date(time).toISOString()).join('..');
