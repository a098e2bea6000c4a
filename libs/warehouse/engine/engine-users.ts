import { createHash, createHmac, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { newDatabaseName } from '../ddl/database-name.js';

export interface Login {
  readonly username: string;
  readonly password: string;
}

/** The number of users that are prepared for databases which do not exist yet. */
const SPARE = 200;
/** If fewer are left, more are made at the next moment without statements. */
const SPARE_LOW = 50;
/**
 * The user who creates tables and writes, and who runs queries without an organization. The reader
 * of a database has the database's name.
 */
const ADMIN = 'admin';
const ASKER = 'asker';
const METADATA = /^(o_\w+)\.sql$/;

/**
 * The users of the engine and their rights. The engine reads its users only when it starts. So at a
 * start, each database gets a user, and as many users are kept spare for new databases. When no
 * spare user is left, the engine is started again.
 */
export class EngineUsers {
  private readonly secret = randomBytes(32);
  /** The databases in the engine's current file of users. */
  private named = new Set<string>();
  private spare: string[] = [];
  /** The databases for the next file of users. */
  private readonly wanted = new Set<string>();

  /** @param store the engine's data */
  constructor(private readonly store: string) {}

  readonly admin = this.login(ADMIN);
  readonly asker = this.login(ASKER);

  /** A name that nobody can guess, for a database whose user exists already. */
  takeName(): string {
    const name = this.spare.shift() ?? newDatabaseName();
    this.wanted.add(name);
    return name;
  }

  /** Tells whether more names should be made at the next moment without statements. */
  get isLow(): boolean {
    return this.spare.length < SPARE_LOW;
  }

  /**
   * The user who may read this database. Undefined means that nobody can until the engine is
   * restarted.
   */
  reader(database: string): Login | undefined {
    if (this.named.has(database)) return this.login(database);
    this.wanted.add(database);
    return undefined;
  }

  /** Its user loses all rights, and no longer exists after the next start. */
  forget(database: string): void {
    this.wanted.delete(database);
  }

  /** Writes the names to the file for the next start of the engine. */
  name(): readonly string[] {
    for (const database of databasesIn(this.store)) this.wanted.add(database);
    while (this.spare.length < SPARE) this.spare.push(newDatabaseName());
    this.named = new Set([...this.wanted, ...this.spare]);
    return [...this.named];
  }

  /** SHA-256 of its password, in hex. */
  hash({ password }: Login): string {
    return createHash('sha256').update(password).digest('hex');
  }

  readerOf(database: string): Login {
    return this.login(database);
  }

  private login(username: string): Login {
    const password = createHmac('sha256', this.secret).update(username).digest('base64url');
    return { username, password };
  }
}

/** The engine stores the definition of a database in a file with its name. */
function databasesIn(store: string): readonly string[] {
  try {
    return readdirSync(join(store, 'metadata')).flatMap((file) => METADATA.exec(file)?.[1] ?? []);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
