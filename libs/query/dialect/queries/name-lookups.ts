import { MillraceError } from '@app/platform';

const LOOKUPS_MAX = 5_000_000;

/**
 * Limits the work of resolving names: each is looked up in every table of its SELECT, and of the
 * SELECTs around it.
 */
export class NameLookups {
  private count = 0;

  /** @throws {MillraceError} INVALID_SQL */
  add(lookups: number): void {
    this.count += lookups;
    if (this.count > LOOKUPS_MAX)
      throw new MillraceError(
        'INVALID_SQL',
        'the statement names too many columns of too many tables; use fewer of them at once',
      );
  }
}
