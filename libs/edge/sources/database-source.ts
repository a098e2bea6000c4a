import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { quoteText } from '@app/warehouse';
import type { DescribedTable } from '../table-description.js';
import { plainSource, tableFunction, type Source } from './source.js';

const PORTS = { mysql: 3306, postgres: 5432 } as const;
const FUNCTIONS = { mysql: 'mysql', postgres: 'postgresql' } as const;

/**
 * A table of a database, read there each time.
 * @throws {Error} when the URI is none of a database.
 */
export function databaseSource(
  { name, uri, options }: DescribedTable,
  base: string,
): Source | undefined {
  if (options.format === 'sqlite') {
    const path = uri.replace(/^(?:sqlite|file|filesystem):(?:\/\/)?/, '');
    const file = isAbsolute(path) ? path : resolve(base, path);
    // SQLite would make an empty one.
    if (!existsSync(file)) throw new Error(`there is no file ${file}`);
    const call = tableFunction('sqlite', [quoteText(file), quoteText(options.table ?? name)]);
    return plainSource(call, file);
  }
  if (options.format !== 'mysql' && options.format !== 'postgres') return undefined;
  const server = serverOf(uri);
  const host = `${server.hostname}:${server.port || PORTS[options.format]}`;
  const [database = '', inPath] = server.path.map(decoded);
  if (database === '') throw new Error(`there is no database in the URI: want …://host/database`);
  const args = [
    host,
    database,
    options.table ?? inPath ?? name,
    decoded(server.user),
    decoded(server.password),
  ];
  const call = tableFunction(FUNCTIONS[options.format], args.map(quoteText));
  const shown = `${server.scheme}://${host}/${database}`;
  return plainSource(call, shown);
}

interface Server {
  readonly scheme: string;
  readonly user: string;
  readonly password: string;
  readonly hostname: string;
  readonly port: string;
  readonly path: readonly string[];
}

/** `user:password@` reaches to the last `@`: people write passwords as they are. */
const DATABASE = /^([a-z]+):\/\/(?:([^:]*)(?::(.*))?@)?([^@]*)$/s;

function serverOf(uri: string): Server {
  const [, scheme = '', user = '', password = '', rest = ''] = DATABASE.exec(uri) ?? [];
  const url = `http://${rest}`;
  if (rest === '' || !URL.canParse(url))
    throw new Error('want <scheme>://user:password@host:port/database');
  const { hostname, pathname } = new URL(url);
  const port = /^[^/]*:(\d+)(?:[/?#]|$)/.exec(rest)?.[1] ?? '';
  return { scheme, user, password, hostname, port, path: pathname.slice(1).split('/') };
}

/** A `%` may also stand for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
