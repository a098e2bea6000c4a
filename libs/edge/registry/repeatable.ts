import type { WarehouseReader } from '@app/warehouse';

/**
 * The result of these functions changes from one call to the next. Unknown functions count as such;
 * aggregates are as repeatable as their arguments.
 */
const CHANGING =
  'SELECT lower(name) FROM system.functions WHERE deterministic = 0 OR (deterministic IS NULL AND NOT is_aggregate)';
/**
 * Finds the names of called functions. In the engine's canonical form, nothing else looks like a
 * call.
 */
const CALLED = /([A-Za-z_]\w*)[`"]?\s*\(/g;

/**
 * Tells whether a statement always answers alike over the same rows. It does not if it uses the
 * time or random numbers.
 */
export class Repeatable {
  private changing: Promise<ReadonlySet<string>> | undefined;

  constructor(private readonly reader: WarehouseReader) {}

  /** @param sql in the engine's canonical form */
  async is(sql: string): Promise<boolean> {
    const changing = await (this.changing ??= this.ask());
    for (const [, name = ''] of sql.matchAll(CALLED))
      if (changing.has(name.toLowerCase())) return false;
    return true;
  }

  private ask(): Promise<ReadonlySet<string>> {
    const asked = this.reader
      .text({ sql: CHANGING, format: 'text' })
      .then((names) => new Set(names.trimEnd().split('\n')));
    asked.catch(() => (this.changing = undefined));
    return asked;
  }
}
