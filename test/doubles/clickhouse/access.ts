import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DoubleError } from './double-error.js';

interface Kept {
  /** SHA-256 of passwords, by user. */
  users: Record<string, string>;
  /** Databases that each role may read. */
  roles: Record<string, string[]>;
  /** Roles that each user may take. */
  granted: Record<string, string[]>;
  quotas: string[];
}

const NAME = '`([^`]+)`';
const STATEMENTS: readonly (readonly [RegExp, (kept: Kept, found: string[]) => void])[] = [
  [
    new RegExp(`^(?:CREATE USER IF NOT EXISTS|ALTER USER) ${NAME} IDENTIFIED WITH sha256_hash BY '([0-9a-f]{64})' DEFAULT ROLE NONE SETTINGS `),
    ({ users }, [user = '', hash = '']) => (users[user] = hash),
  ],
  [
    new RegExp(`^CREATE ROLE IF NOT EXISTS ${NAME}$`),
    ({ roles }, [role = '']) => (roles[role] ??= []),
  ],
  [
    new RegExp(`^GRANT SELECT ON ${NAME}\\.\\* TO ${NAME}$`),
    ({ roles }, [database = '', role = '']) => known(roles, role).push(database),
  ],
  [
    /^GRANT SHOW TABLES ON (?:system|information_schema)\.\* TO `[^`]+`$/i,
    () => undefined,
  ],
  [
    new RegExp(`^GRANT ${NAME} TO ${NAME}$`),
    ({ users, roles, granted }, [role = '', user = '']) => {
      known(roles, role);
      known(users, user);
      (granted[user] ??= []).push(role);
    },
  ],
  [
    new RegExp(`^(?:CREATE QUOTA IF NOT EXISTS|ALTER QUOTA) ${NAME} FOR INTERVAL 1 minute MAX execution_time = \\d+, result_bytes = \\d+ TO ${NAME}$`),
    ({ roles, quotas }, [quota = '', role = '']) => {
      known(roles, role);
      quotas.push(quota);
    },
  ],
  [
    new RegExp(`^DROP QUOTA IF EXISTS ${NAME}$`),
    ({ quotas }, [quota = '']) => quotas.splice(0, quotas.length, ...quotas.filter((each) => each !== quota)),
  ],
  [
    new RegExp(`^DROP ROLE IF EXISTS ${NAME}$`),
    ({ roles, granted }, [role = '']) => {
      Reflect.deleteProperty(roles, role);
      for (const of of Object.values(granted)) of.splice(0, of.length, ...of.filter((each) => each !== role));
    },
  ],
]; // prettier-ignore

function known<T>(all: Readonly<Record<string, T>>, name: string): T {
  const found = all[name];
  if (found === undefined)
    throw new DoubleError(511, 'UNKNOWN_ROLE', `There is no role \`${name}\` in user directories.`);
  return found;
}

/**
 * Users and their rights. The embedded engine has no storage for them, so they are kept here: what
 * our statements say, and no more, and only whether the tables of a statement may be read.
 */
export class Access {
  private readonly file: string;
  private readonly kept: Kept;

  constructor(
    directory: string,
    private readonly admin: { readonly user: string; readonly password: string },
  ) {
    this.file = join(directory, 'access.json');
    this.kept = existsSync(this.file)
      ? (JSON.parse(readFileSync(this.file, 'utf8')) as Kept)
      : { users: {}, roles: {}, granted: {}, quotas: [] };
  }

  isRight(user: string, password: string): boolean {
    if (user === this.admin.user) return password === this.admin.password;
    return this.kept.users[user] === createHash('sha256').update(password).digest('hex');
  }

  /** Carries a statement out if it is about access. */
  define(statement: string): boolean {
    if (!/^\s*(?:(?:CREATE|ALTER|DROP) (?:USER|ROLE|QUOTA)|GRANT|REVOKE)\b/.test(statement)) return false; // prettier-ignore
    for (const [pattern, carryOut] of STATEMENTS) {
      const found = pattern.exec(statement.trim());
      if (!found) continue;
      carryOut(this.kept, found.slice(1));
      writeFileSync(this.file, JSON.stringify(this.kept));
      return true;
    }
    throw new DoubleError(48, 'NOT_IMPLEMENTED', `the double does not know: ${statement}`);
  }

  /** Databases that may be read; undefined: all. @throws for a role that the user has not. */
  readable(user: string, role: string | undefined): ReadonlySet<string> | undefined {
    if (user === this.admin.user) return undefined;
    if (role === undefined) return new Set();
    const databases = known(this.kept.roles, role);
    if (this.kept.granted[user]?.includes(role) === true) return new Set(databases);
    throw new DoubleError(512, 'SET_NON_GRANTED_ROLE', `Role ${role} should be granted to set as a current`); // prettier-ignore
  }
}

/**
 * A server lets everybody read these. Other system tables would show things without regard to
 * rights, so the double refuses them.
 */
const ALWAYS_READABLE = new Set(['one', 'functions', 'settings', 'time_zones']);
/**
 * The engine keeps temporary tables of a statement here, as of a recursive one. A server grants it
 * to everybody.
 */
const OF_THE_STATEMENT = '_temporary_and_external_tables';

/** @throws when a statement, of which this is the engine's tree, reads another database. */
export function refuseForeign(tree: string, user: string, readable: ReadonlySet<string>): void {
  for (const [, database = '', table = ''] of tree.matchAll(/table_name: ([^\s,.]+)\.([^\s,]+)/g)) {
    if (database === OF_THE_STATEMENT) continue;
    const isOpen = database === 'system' && (ALWAYS_READABLE.has(table) || (readable.size === 0 && table === 'tables')); // prettier-ignore
    if (!isOpen && !readable.has(database))
      throw new DoubleError(497, 'ACCESS_DENIED', `${user}: Not enough privileges. To execute this query, it's necessary to have the grant SELECT for at least one column on ${database}.${table}.`); // prettier-ignore
  }
}
