import { PERSON_KEYS, qualified, type Ddl } from '../ddl/ddl.js';
import { quoteText } from '../ddl/identifier.js';
import type { PersonKeyTable, WrappedKey } from '../ports/person-key-table.js';
import { runAll, type SqlRunner } from './sql-runner.js';

const TABLE = qualified(PERSON_KEYS);

/** A small table: some 150 bytes a person. */
export class SqlPersonKeys implements PersonKeyTable {
  private made: Promise<void> | undefined;

  constructor(
    private readonly runner: SqlRunner,
    private readonly ddl: Ddl,
  ) {}

  async wrappedKeys(personId?: string): Promise<readonly WrappedKey[]> {
    await this.make();
    const where = personId === undefined ? '' : ` WHERE person_id = ${quoteText(personId)}`;
    return this.runner.rows<WrappedKey>(
      `SELECT DISTINCT person_id AS personId, wrapped FROM ${TABLE}${where} ORDER BY personId, wrapped`,
    );
  }

  async addWrappedKey({ personId, wrapped }: WrappedKey): Promise<void> {
    await this.make();
    await this.runner.command(
      `INSERT INTO ${TABLE} (person_id, wrapped) SETTINGS async_insert = 0 VALUES (${quoteText(personId)}, ${quoteText(wrapped)})`,
    );
  }

  async dropWrappedKeys(personId: string, but: readonly string[] = []): Promise<void> {
    const keys = await this.wrappedKeys(personId);
    if (keys.every(({ wrapped }) => but.includes(wrapped))) return;
    await this.runner.command(this.ddl.dropPersonKeys(personId, but));
  }

  private make(): Promise<void> {
    this.made ??= runAll(this.runner, this.ddl.createPersonKeys()).catch((error: unknown) => {
      this.made = undefined;
      throw error;
    });
    return this.made;
  }
}
