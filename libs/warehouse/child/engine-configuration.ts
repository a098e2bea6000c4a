import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SMALL_ENGINE } from '../memory/small-engine.js';

/** The rights of the one user where uploads are read: files, no network, no tables of its own. */
const UPLOAD_GRANTS = [
  'GRANT SELECT, SHOW ON *.*',
  'GRANT CREATE TEMPORARY TABLE ON *.*',
  'GRANT READ, WRITE ON FILE',
];

/**
 * The same rights, if tables are views over other files and servers. A view reads with its own
 * rights (`SQL SECURITY NONE`), so sessions with a client's statement are read-only here too, and
 * reach a file or a network only through a registered table.
 */
const SOURCE_GRANTS = [
  'GRANT SELECT, INSERT, CREATE TABLE, CREATE VIEW, CREATE DATABASE, DROP, SHOW, ALLOW SQL SECURITY NONE, CREATE TEMPORARY TABLE ON *.*',
  'GRANT READ, WRITE ON FILE',
  ...['URL', 'S3', 'AZURE', 'SQLITE', 'MYSQL', 'POSTGRES'].map((each) => `GRANT READ ON ${each}`),
  'GRANT TABLE ENGINE ON MergeTree',
];

/** The purpose of an engine: to read uploaded files, or tables in place. */
type EnginePurpose = 'uploads' | 'sources';

const GRANTS: Readonly<Record<EnginePurpose, readonly string[]>> = {
  uploads: UPLOAD_GRANTS,
  sources: SOURCE_GRANTS,
};

/** Statements of our own name every column of a wide table several times. */
const STATEMENT_BYTES_MAX = 64 * 1024 * 1024;

const users = (purpose: EnginePurpose): string => `<clickhouse>
  <profiles><default><max_query_size>${STATEMENT_BYTES_MAX}</max_query_size></default></profiles>
  <quotas><default/></quotas>
  <users><default>
    <password/><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>
    <grants>${GRANTS[purpose].map((grant) => `<query>${grant}</query>`).join('')}</grants>
  </default></users>
</clickhouse>
`;

const server = (usersFile: string): string => `<clickhouse>
  <users_config>${usersFile}</users_config>
  ${SMALL_ENGINE}
</clickhouse>
`;

/**
 * The file is complete at each moment, because another process of the engine may read or watch it
 * meanwhile.
 */
function replaceFile(path: string, text: string): void {
  const draft = `${path}.draft`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}

/** Writes the engine's configuration below `directory` and returns the path for the engine. */
export function writeEngineFiles(directory: string, purpose: EnginePurpose): string {
  mkdirSync(directory, { recursive: true });
  const usersFile = join(directory, 'users.xml');
  const serverFile = join(directory, 'server.xml');
  replaceFile(usersFile, users(purpose));
  replaceFile(serverFile, server(usersFile));
  return serverFile;
}
