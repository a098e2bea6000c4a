import { MillraceError } from '@app/platform';
import { withAbsolutePaths } from '../describe/absolute-paths.js';
import type { TableRequest } from '../describe/table-request.js';
import type { DescribedTable } from '../table-description.js';
import { readState, writeState, type KeptState } from './state-file.js';
import type { TableChange, TableRegistry } from './table-registry.js';

interface RegistrationTerms {
  readonly readOnly: boolean;
  /** Absolute folder that relative paths start from. */
  readonly base: string;
  /** An absolute path; undefined: registered tables are lost when the program ends. */
  readonly stateFile: string | undefined;
}

/**
 * Tables that are registered and dropped while the program runs, and are kept over its restarts.
 */
export class Registrations {
  private kept: KeptState = { tables: [], dropped: [] };

  constructor(
    private readonly registry: TableRegistry,
    private readonly terms: RegistrationTerms,
  ) {}

  /**
   * Loads the tables of the start, including the changes of earlier runs.
   * @throws {Error} that names the table that cannot be loaded, or the state file
   */
  async open(given: readonly DescribedTable[]): Promise<void> {
    const { stateFile } = this.terms;
    if (stateFile !== undefined) this.kept = await readState(stateFile);
    const { tables, dropped } = this.kept;
    const replaced = new Set([...dropped, ...tables.map(({ name }) => name)]);
    await this.registry.open([...given.filter(({ name }) => !replaced.has(name)), ...tables]);
  }

  /**
   * Registers all tables or none. A table with the name of a followed stream replaces it.
   * @throws {MillraceError} FORBIDDEN, INVALID_PARAMETER, STREAM_NOT_FOUND
   */
  register(requests: readonly TableRequest[]): Promise<void> {
    const put = requests.flatMap(({ table }) => (table ? [table] : []));
    const reload = requests.filter(({ table }) => !table).map(({ name }) => name);
    const names = new Set(put.map(({ name }) => name));
    const lasting = put.map((table) => withAbsolutePaths(table, this.terms.base));
    return this.change({ put, reload }, ({ tables, dropped }) => ({
      tables: [...tables.filter(({ name }) => !names.has(name)), ...lasting],
      dropped: dropped.filter((name) => !names.has(name)),
    }));
  }

  /** The names among these that belong to a followed stream at the moment. */
  followed(names: readonly string[]): readonly string[] {
    return names.filter((name) => this.registry.described(name)?.followed);
  }

  /** Drops all or none. @throws {MillraceError} FORBIDDEN, INVALID_PARAMETER, STREAM_NOT_FOUND */
  drop(names: readonly string[]): Promise<void> {
    return this.change({ drop: names }, ({ tables, dropped }) => ({
      tables: tables.filter(({ name }) => !names.includes(name)),
      dropped: [...new Set([...dropped, ...names])],
    }));
  }

  /**
   * The state file changes with the tables, in the same order. A change that takes long to read
   * does not delay another one.
   */
  private async change(change: TableChange, keep: (kept: KeptState) => KeptState): Promise<void> {
    const { readOnly, stateFile } = this.terms;
    if (readOnly)
      throw new MillraceError(
        'FORBIDDEN',
        'tables can neither be registered nor dropped here: the program is read-only; start it with --disable-read-only, or with --token where others or pages (--cors) can reach it',
      );
    await this.registry.change(change, async () => {
      const kept = keep(this.kept);
      if (stateFile !== undefined) await writeState(stateFile, kept);
      this.kept = kept;
    });
  }
}
