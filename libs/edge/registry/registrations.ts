import { MillraceError } from '@app/platform';
import type { TableRequest } from '../describe/table-request.js';
import type { DescribedTable } from '../table-description.js';
import { readState, writeState, type KeptState } from './state-file.js';
import type { TableRegistry } from './table-registry.js';

export interface RegistrationTerms {
  readonly readOnly: boolean;
  /** Absolute; undefined: what was registered is gone with the program. */
  readonly stateFile: string | undefined;
}

/** Tables that come and go while the program runs, and over its restarts. */
export class Registrations {
  private kept: KeptState = { tables: [], dropped: [] };
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly registry: TableRegistry,
    private readonly terms: RegistrationTerms,
  ) {}

  /**
   * Loads the tables of the start, with what was changed at run time before.
   * @throws {Error} that names the table that cannot be loaded, or the state file
   */
  async open(given: readonly DescribedTable[]): Promise<void> {
    const { stateFile } = this.terms;
    if (stateFile !== undefined) this.kept = await readState(stateFile);
    const { tables, dropped } = this.kept;
    const replaced = new Set([...dropped, ...tables.map(({ name }) => name)]);
    await this.registry.open([...given.filter(({ name }) => !replaced.has(name)), ...tables]);
  }

  /** All or none. @throws {MillraceError} FORBIDDEN, INVALID_PARAMETER, STREAM_NOT_FOUND */
  register(requests: readonly TableRequest[]): Promise<void> {
    const put = requests.flatMap(({ table }) => (table ? [table] : []));
    const reload = requests.filter(({ table }) => !table).map(({ name }) => name);
    const names = new Set(put.map(({ name }) => name));
    return this.inTurn(
      () => this.registry.change({ put, reload }),
      ({ tables, dropped }) => ({
        tables: [...tables.filter(({ name }) => !names.has(name)), ...put],
        dropped: dropped.filter((name) => !names.has(name)),
      }),
    );
  }

  /** All or none. @throws {MillraceError} FORBIDDEN, STREAM_NOT_FOUND */
  drop(names: readonly string[]): Promise<void> {
    return this.inTurn(
      () => this.registry.change({ drop: names }),
      ({ tables, dropped }) => ({
        tables: tables.filter(({ name }) => !names.includes(name)),
        dropped: [...new Set([...dropped, ...names])],
      }),
    );
  }

  private inTurn(change: () => Promise<void>, keep: (kept: KeptState) => KeptState): Promise<void> {
    const done = this.last.then(() => this.apply(change, keep));
    this.last = done.catch(() => undefined);
    return done;
  }

  private async apply(
    change: () => Promise<void>,
    keep: (kept: KeptState) => KeptState,
  ): Promise<void> {
    const { readOnly, stateFile } = this.terms;
    if (readOnly)
      throw new MillraceError(
        'FORBIDDEN',
        'tables can neither be registered nor dropped here: the program is read-only; start it with --disable-read-only, or with --token where others or pages (--cors) can reach it',
      );
    await change();
    const kept = keep(this.kept);
    if (stateFile !== undefined) await writeState(stateFile, kept);
    this.kept = kept;
  }
}
