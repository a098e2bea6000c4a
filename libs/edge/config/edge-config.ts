import { isLoopback, OperatorError } from '@app/platform';
import type { EdgeEnvironment } from './edge-environment.js';
import type { ResultFormat } from '@app/warehouse';
import { z } from 'zod';
import { present } from '../describe/format-options.js';
import { parseTableArgument } from '../describe/table-argument.js';
import type { DescribedStore } from '../describe/table-entry.js';
import type { DescribedTable } from '../table-description.js';
import { parseEdgeArguments, type EdgeArguments } from './arguments.js';
import { readConfigFile, type ConfigFile } from './config-file.js';
import { readFollow, type FollowConfig } from './follow-config.js';
import { httpAddress, type HttpAddress } from './http-address.js';
import { responseFormat } from './response-format.js';

export interface EdgeConfig {
  readonly http: HttpAddress;
  /** The address for clients of PostgreSQL; absent: there is none. */
  readonly postgres?: HttpAddress;
  /** The address for clients of Arrow Flight SQL; absent: there is none. */
  readonly flightSql?: HttpAddress;
  /** The names of the tables are distinct. */
  readonly tables: readonly DescribedTable[];
  readonly stores: readonly DescribedStore[];
  /** A caller that asks for no format gets this one. */
  readonly responseFormat: ResultFormat;
  /**
   * The interval in seconds of materialized tables without an interval of their own; absent: they
   * are read once.
   */
  readonly reloadSeconds?: number;
  /** Tells whether tables may be registered and dropped at run time. */
  readonly readOnly: boolean;
  /** The place where registered tables are kept; absent: they are not kept. */
  readonly stateFile?: string;
  /** Secret; absent: callers need no token. */
  readonly token?: string;
  /** Origins whose pages may call; `*` is any. */
  readonly cors: readonly string[];
  readonly follow?: FollowConfig;
  /** Sentences for the log at start, about settings that have no effect. */
  readonly notes: readonly string[];
}

/** The caller asked for a text, such as the help, instead of the program. */
type EdgeQuestion = 'help' | 'version';

/** Reads arguments, configuration file and environment. @throws {Error} that names what is wrong and where */
export async function readEdgeConfig(
  argv: readonly string[],
  environment: EdgeEnvironment,
): Promise<EdgeConfig | EdgeQuestion> {
  const given = parseEdgeArguments(argv);
  if (given.help === true || argv.length === 0) return 'help';
  if (given.version === true) return 'version';
  const file =
    given.config === undefined
      ? { tables: [], stores: [], notes: [] }
      : await readConfigFile(given.config);
  const config = merge(given, file, environment);
  if (config.tables.length + config.stores.length === 0 && !config.follow && !config.stateFile)
    throw new OperatorError(
      'there is nothing to serve: say --table, --config, --follow or --state',
    );
  return config;
}

function merge(given: EdgeArguments, file: ConfigFile, environment: EdgeEnvironment): EdgeConfig {
  const http = addressOf(given, file, environment);
  const token = given.token ?? environment.token;
  if (token === '') throw new OperatorError('--token: want a token that is not empty');
  const cors = (given.cors ?? file.cors ?? []).map(originOf);
  const tables = [...file.tables, ...(given.table ?? []).map(parseTableArgument)];
  refuseDoubled('table', tables);
  refuseDoubled('kvstore', file.stores);
  return {
    http,
    ...present('postgres', doorOf('addr-postgres', given) ?? file.postgres),
    ...present('flightSql', doorOf('addr-flight-sql', given) ?? file.flightSql),
    tables,
    stores: file.stores,
    responseFormat: read('response-format', responseFormat, given) ?? file.responseFormat ?? 'json',
    ...present('reloadSeconds', read('reload-interval', seconds, given) ?? file.reloadSeconds),
    readOnly: isReadOnly(given, file) ?? !isAmongOwners({ http, token, cors }),
    ...present('stateFile', given.state),
    ...present('token', token),
    cors,
    ...present('follow', readFollow(given, environment)),
    notes: file.notes,
  };
}

/** Tells whether callers may read this machine's files, since registering a table does so. */
function isAmongOwners(config: {
  readonly http: HttpAddress;
  readonly token: string | undefined;
  readonly cors: readonly string[];
}): boolean {
  return config.token !== undefined || (isLoopback(config.http.host) && config.cors.length === 0);
}

/** Only digits are accepted, because an empty value must not count as 0. */
const seconds = z
  .string()
  .regex(/^\d+(?:\.\d+)?$/, 'want a number of seconds')
  .transform(Number)
  .refine((value) => value > 0, 'want more than 0 seconds');

function read<Value>(
  name: 'response-format' | 'reload-interval',
  schema: z.ZodType<Value, string>,
  given: EdgeArguments,
): Value | undefined {
  const text = given[name];
  return text === undefined ? undefined : readArgument(`--${name}`, schema, text);
}

function readArgument<Value>(name: string, schema: z.ZodType<Value, string>, text: string): Value {
  const parsed = schema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new OperatorError(`${name} ${text}: ${parsed.error.issues[0]?.message}`);
}

const DEFAULT_HTTP: HttpAddress = { host: '127.0.0.1', port: 8080 };

function addressOf(
  given: EdgeArguments,
  file: ConfigFile,
  { host, port }: EdgeEnvironment,
): HttpAddress {
  if (given['addr-http'] !== undefined)
    return readArgument('--addr-http', httpAddress, given['addr-http']);
  if (file.http) return file.http;
  if (host === undefined && port === undefined) return DEFAULT_HTTP;
  const text = `${host ?? DEFAULT_HTTP.host}:${port ?? DEFAULT_HTTP.port}`;
  return readArgument('HOST and PORT', httpAddress, text);
}

function doorOf(
  name: 'addr-postgres' | 'addr-flight-sql',
  given: EdgeArguments,
): HttpAddress | undefined {
  const text = given[name];
  return text === undefined ? undefined : readArgument(`--${name}`, httpAddress, text);
}

function isReadOnly(given: EdgeArguments, file: ConfigFile): boolean | undefined {
  const readOnly = given['read-only'] === true;
  const writable = given['disable-read-only'] === true;
  if (readOnly && writable)
    throw new OperatorError('want --read-only or --disable-read-only, not both');
  if (readOnly || writable) return readOnly;
  return file.readOnly;
}

function originOf(text: string): string {
  if (text === '*') return text;
  const origin = URL.canParse(text) ? new URL(text).origin : 'null';
  if (origin !== 'null' && [origin, `${origin}/`].includes(text.toLowerCase())) return origin;
  throw new OperatorError(`cors ${text}: want an origin, such as https://app.example.com, or *`);
}

function refuseDoubled(kind: string, all: readonly { readonly name: string }[]): void {
  const names = all.map(({ name }) => name);
  const doubled = names.find((name, index) => names.indexOf(name) !== index);
  if (doubled !== undefined)
    throw new OperatorError(`${kind} ${JSON.stringify(doubled)} is there twice; want another name`);
}
