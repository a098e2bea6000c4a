import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SMALL_ENGINE } from '../memory/small-engine.js';
import { requestSettings } from '../sql/read-settings.js';
import type { QueryLimits } from '../warehouse.js';
import type { EngineUsers, Login } from './engine-users.js';

interface EngineSettings {
  readonly port: number;
  /** The secret path of the only address at which it answers. */
  readonly path: string;
  readonly memoryBytes: number;
  readonly limits: QueryLimits;
  readonly backups?: EngineBackups | undefined;
}

/** A folder in which the engine's own backups are. */
export interface EngineBackups {
  /** Absolute. */
  readonly folder: string;
  /** True when the engine may make backups there; otherwise it only reads them. */
  readonly mayWrite: boolean;
}

/** Statements of our own name every column of a wide table several times. */
const STATEMENT_BYTES_MAX = 64 * 1024 * 1024;
/**
 * The hard limit, because the engine checks the clock only between blocks; each query has a shorter
 * one.
 */
const LATE_SECONDS = 5;

const ADMIN_GRANTS = [
  'GRANT SELECT, INSERT, ALTER, CREATE TABLE, CREATE DATABASE, DROP, TRUNCATE, SHOW, OPTIMIZE, KILL QUERY ON *.*',
  'GRANT CREATE TEMPORARY TABLE ON *.*',
  'GRANT READ ON FILE',
  'GRANT TABLE ENGINE ON MergeTree',
  'GRANT BACKUP ON *.*',
];
/**
 * The user with these rights starts the interface and waits for the end of standard input: see
 * run-engine.mjs.
 */
const STARTER_GRANTS = [
  'GRANT SYSTEM LISTEN ON *.*',
  'GRANT CREATE TEMPORARY TABLE ON *.*',
  'GRANT READ ON FILE',
];
/** The guard refuses statements that name a table of the engine, and must know them all. */
const ASKER_GRANTS = ['system', 'information_schema', 'INFORMATION_SCHEMA'].map(
  (database) => `GRANT SHOW TABLES ON ${database}.*`,
);

const NETWORKS = '<networks><ip>127.0.0.1</ip></networks>';

const user = (
  name: string,
  password: string,
  profile: string,
  grants: readonly string[],
): string => `<${name}>${password}${NETWORKS}<profile>${profile}</profile><quota>default</quota>
<grants>${grants.map((grant) => `<query>${grant}</query>`).join('')}</grants></${name}>
`;

/** Limits that no query of an organization can change. */
const constraints = ({ timeoutSeconds, memoryBytes }: QueryLimits): string =>
  Object.entries({
    max_execution_time: timeoutSeconds + LATE_SECONDS,
    max_memory_usage: memoryBytes,
  })
    .map(([name, most]) => `<${name}><max>${most}</max></${name}>`)
    .join('');

/**
 * The settings of all queries of organizations. Only the read-only setting comes with each query.
 */
const readerSettings = (limits: QueryLimits): string =>
  Object.entries(requestSettings(limits))
    .filter(([name]) => name !== 'readonly')
    .map(([name, value]) => `<${name}>${escaped(String(value))}</${name}>`)
    .join('');

function usersFile(users: EngineUsers, limits: QueryLimits): string {
  const hashed = (login: Login): string =>
    `<password_sha256_hex>${users.hash(login)}</password_sha256_hex>`;
  const { admin, asker } = users;
  const readers = users.name().map((database) => {
    const login = users.readerOf(database);
    return user(login.username, hashed(login), 'reading', [`GRANT SELECT ON ${database}.*`]);
  });
  return `<clickhouse>
<profiles>
  <default><max_query_size>${STATEMENT_BYTES_MAX}</max_query_size></default>
  <reading>${readerSettings(limits)}<constraints>${constraints(limits)}</constraints></reading>
</profiles>
<quotas><default/></quotas>
<users>
${user('default', '<no_password/>', 'default', STARTER_GRANTS)}${user(admin.username, hashed(admin), 'default', ADMIN_GRANTS)}${user(asker.username, hashed(asker), 'reading', ASKER_GRANTS)}${readers.join('')}</users>
</clickhouse>
`;
}

/**
 * The engine answers at one secret address, because its interface starts as a user without a
 * password. We end idle connections, because if the engine ended one while a statement is sent, the
 * outcome would be unknown. Its memory is limited to that share of the machine's; 0 would mean no
 * limit.
 */
const serverFile = (
  usersPath: string,
  { port, path, memoryBytes, backups }: EngineSettings,
): string =>
  `<clickhouse>
  <http_port>${port}</http_port>
  <listen_host>127.0.0.1</listen_host>
  <keep_alive_timeout>3600</keep_alive_timeout>
  <http_handlers><rule><url>${path}</url><methods>GET,POST</methods><handler><type>dynamic_query_handler</type><query_param_name>query</query_param_name></handler></rule></http_handlers>
  <user_directories><users_xml><path>${escaped(usersPath)}</path></users_xml></user_directories>
  <logger><level>none</level></logger>
  <max_server_memory_usage>${memoryBytes}</max_server_memory_usage>
  <max_server_memory_usage_to_ram_ratio>1</max_server_memory_usage_to_ram_ratio>
  ${backups ? `<backups><allowed_path>${escaped(backups.folder)}</allowed_path></backups>` : ''}
  ${SMALL_ENGINE}
</clickhouse>
`;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Writes the engine's configuration into an empty `directory`; returns the file for the engine. */
export function writeEngineFiles(
  directory: string,
  users: EngineUsers,
  settings: EngineSettings,
): string {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const server = join(directory, 'server.xml');
  const usersPath = join(directory, 'users.xml');
  writeFileSync(usersPath, usersFile(users, settings.limits), { mode: 0o600 });
  writeFileSync(server, serverFile(usersPath, settings), { mode: 0o600 });
  return server;
}
