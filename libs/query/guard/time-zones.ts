import { didYouMean, MillraceError } from '@app/platform';
import { ZONES_MAX, ZONES_PER_ORGANIZATION_MAX } from './limits.js';
import { refused } from './refused.js';

/**
 * Bounds the time zones that statements name. The engine keeps 4.7 MB for each name it has ever
 * seen, until it ends, and takes names for files: `file:/dev/stdin` waits for ever, `libc:x` is
 * another zone for every x. So only names of the engine's list are allowed, and only a limited
 * number of them.
 */
export class TimeZones {
  private readonly used = new Set<string>();
  /** For each organization, the number of zones that it was the first to name. */
  private readonly first = new Map<string, number>();

  /**
   * @param known the engine's list.
   * @throws {MillraceError} INVALID_PARAMETER, STATEMENT_REFUSED
   */
  check(zones: Iterable<string>, known: ReadonlySet<string>, organizationId: string): void {
    for (const zone of zones) {
      // An empty zone means the server's own.
      if (zone === '' || this.used.has(zone)) continue;
      if (!known.has(zone))
        throw new MillraceError(
          'INVALID_PARAMETER',
          `there is no time zone ${JSON.stringify(zone)}${didYouMean(zone, [...known])}`,
        );
      const named = this.first.get(organizationId) ?? 0;
      if (named >= ZONES_PER_ORGANIZATION_MAX || this.used.size >= ZONES_MAX)
        throw refused(
          'time_zone',
          `too many time zones are in use to add ${zone}; use UTC, or one of ${[...this.used].sort().join(', ')}`,
        );
      this.used.add(zone);
      this.first.set(organizationId, named + 1);
    }
  }
}
