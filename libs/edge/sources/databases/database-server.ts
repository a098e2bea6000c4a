import { SourceError } from '../source-error.js';

/** The address of a database, and the user for it. */
export interface DatabaseServer {
  readonly format: 'mysql' | 'postgres';
  /** `host:port`. */
  readonly host: string;
  readonly database: string;
  /** It is absent if the URI names no table. */
  readonly table?: string;
  readonly user: string;
  /** Secret. */
  readonly password: string;
  /** It is without secrets. */
  readonly shown: string;
}

const PORTS = { mysql: 3306, postgres: 5432 } as const;

/** `user:password@` ends at the last `@`, because people write passwords without encoding them. */
const DATABASE = /^([a-z]+):\/\/(?:([^:]*)(?::(.*))?@)?([^@]*)$/s;

/** @throws {Error} when the URI is not that of a database */
export function databaseServer(uri: string, format: DatabaseServer['format']): DatabaseServer {
  const [, scheme = '', user = '', password = '', rest = ''] = DATABASE.exec(uri) ?? [];
  const url = `http://${rest}`;
  if (rest === '' || !URL.canParse(url))
    throw new SourceError('want <scheme>://user:password@host:port/database');
  const { hostname, pathname } = new URL(url);
  const port = /^[^/]*:(\d+)(?:[/?#]|$)/.exec(rest)?.[1] ?? PORTS[format];
  const host = `${hostname}:${port}`;
  const [database = '', table] = pathname.slice(1).split('/').map(decoded);
  if (database === '')
    throw new SourceError(`there is no database in the URI: want …://host/database`);
  return {
    ...{ format, host, database },
    ...(table !== undefined && table !== '' && { table }),
    user: decoded(user),
    password: decoded(password),
    shown: `${scheme}://${host}/${database}`,
  };
}

/** A `%` may also stand for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
