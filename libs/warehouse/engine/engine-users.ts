import { createHash, createHmac, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { newDatabaseName } from '../ddl/database-name.js';

export interface Login {
  readonly username: string;
  readonly password: string;
}

/** Databases that have a user before they are made. */
const SPARE = 200;
/** When fewer are left, more are made at the next quiet moment. */
const SPARE_LOW = 50;
/**
 * The user who makes tables and writes, and whose queries know no organization. The reader of a
 * database is called as it is.
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
  /** Databases that the engine's users file names. */
  private named = new Set<string>();
  private spare: string[] = [];
  /** Those that are to be named the next time. */
  private readonly wanted = new Set<string>();

  /** @param store the engine's data */
  constructor(private readonly store: string) {}

  readonly admin = this.login(ADMIN);
  readonly asker = this.login(ASKER);

  /** A name that nobody can guess, of a database that has a user. */
  takeName(): string {
    const name = this.spare.shift() ?? newDatabaseName();
    this.wanted.add(name);
    return name;
  }

  /** Tells whether more names should be made when nobody is disturbed by it. */
  get isLow(): boolean {
    return this.spare.length < SPARE_LOW;
  }

  /**
   * The user who may read this database. Undefined means nobody before the engine is started again.
   */
  reader(database: string): Login | undefined {
    if (this.named.has(database)) return this.login(database);
    this.wanted.add(database);
    return undefined;
  }

  /** Its user may read nothing any more, and is not there after the next start. */
  forget(database: string): void {
    this.wanted.delete(database);
  }

  /** The names in the file that the engine is started with next. */
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

/** The engine keeps what a database is in a file of its name. */
function databasesIn(store: string): readonly string[] {
  try {
    return readdirSync(join(store, 'metadata')).flatMap((file) => METADATA.exec(file)?.[1] ?? []);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
