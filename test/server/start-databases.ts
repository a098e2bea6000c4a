import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.mjs';
import { until } from './until.js';

/** A real server of a database, of which `ann` is the user and `shop` the database. */
export interface DatabaseUnderTest {
  readonly port: number;
  /** The edge program takes this address. */
  readonly uri: string;
  /** Carries out statements, of which there may be several, as `ann`. */
  run(statements: string): Promise<void>;
  stop(): Promise<void>;
}

/** Stands in no other text, so that a message which tells it is found. */
export const PASSWORD = 'p4ss/w@rd-of-ann';

const POSTGRES = '/usr/lib/postgresql';
/** The folder of the newest PostgreSQL's programs; undefined: there is none here. */
export const postgresPrograms = (existsSync(POSTGRES) ? readdirSync(POSTGRES) : [])
  .sort((one, other) => Number(one) - Number(other))
  .map((version) => join(POSTGRES, version, 'bin'))
  .findLast((folder) => existsSync(join(folder, 'initdb')));
const MARIADB = '/usr/sbin/mariadbd';
export const hasMariadb = existsSync(MARIADB);

/** Debian's package makes this user; PostgreSQL runs as no root. */
interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}
function ownerOf(name: string): Owner {
  if (process.getuid?.() !== 0) return {};
  const number = (kind: string): number =>
    Number(execFileSync('id', [kind, name], { encoding: 'utf8' }));
  return { uid: number('-u'), gid: number('-g') };
}

function folderOf({ uid, gid }: Owner): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-database-'));
  chmodSync(folder, 0o755);
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
}

async function stopped(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill('SIGINT');
    setTimeout(() => child.kill('SIGKILL'), STOP_MS).unref();
    await exited;
  }
  rmSync(folder, { recursive: true, force: true });
}
const STOP_MS = 10_000;

/** Runs a client until it succeeds: the server takes a moment before it answers. */
const answered = (ask: () => Promise<unknown>): Promise<unknown> =>
  until(() =>
    ask().then(
      () => true,
      () => false,
    ),
  );

/** @param settings lines of `postgresql.conf` */
export async function startPostgres(
  programs: string,
  settings: readonly string[] = [],
): Promise<DatabaseUnderTest> {
  const owner = ownerOf('postgres');
  const folder = folderOf(owner);
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, PASSWORD);
  const run = (program: string, args: readonly string[]): Promise<unknown> =>
    promisify(execFile)(join(programs, program), [...args], { ...owner, cwd: folder });
  const access = ['-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-U', 'ann'];
  await run('initdb', ['-D', data, '-E', 'UTF8', '--locale=C.UTF-8', '-N', ...access]);
  const port = await freePort();
  const all = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, ...settings];
  const child = spawn(
    join(programs, 'postgres'),
    ['-D', data, '-p', String(port), ...all.flatMap((each) => ['-c', each])],
    { ...owner, cwd: folder, stdio: 'ignore' },
  );
  const psql = (database: string, statements: string): Promise<unknown> => {
    const asked = ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-c', statements];
    return promisify(execFile)(
      join(programs, 'psql'),
      ['-h', '127.0.0.1', '-p', String(port), '-U', 'ann', '-d', database, ...asked],
      { env: { PATH: process.env.PATH, PGPASSWORD: PASSWORD } },
    );
  };
  await answered(() => psql('postgres', 'SELECT 1'));
  await psql('postgres', 'CREATE DATABASE shop');
  return {
    port,
    uri: `postgresql://ann:${PASSWORD}@127.0.0.1:${port}/shop`,
    run: async (statements) => void (await psql('shop', statements)),
    stop: () => stopped(child, folder),
  };
}

/** @param zone the server's own, such as `+03:00` */
export async function startMariadb(zone: string): Promise<DatabaseUnderTest> {
  const owner = ownerOf('mysql');
  const folder = folderOf(owner);
  const data = join(folder, 'data');
  const socket = join(folder, 'socket');
  mkdirSync(data);
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(data, owner.uid, owner.gid);
  const where = ['--no-defaults', `--datadir=${data}`];
  await promisify(execFile)(
    'mariadb-install-db',
    [...where, '--auth-root-authentication-method=normal', '--skip-test-db'],
    { ...owner, cwd: folder },
  );
  const port = await freePort();
  const log = join(folder, 'log');
  const child = spawn(
    MARIADB,
    [
      ...where,
      `--socket=${socket}`,
      ...[`--port=${port}`, '--bind-address=127.0.0.1', `--default-time-zone=${zone}`],
      ...['--skip-log-bin', `--log-error=${log}`, `--pid-file=${join(folder, 'pid')}`],
    ],
    { ...owner, cwd: folder, stdio: 'ignore' },
  );
  const client = (args: readonly string[], statements: string): Promise<unknown> =>
    promisify(execFile)('mariadb', [
      '--no-defaults',
      '--default-character-set=utf8mb4',
      ...args,
      ...['-e', statements],
    ]);
  const asRoot = (statements: string) => client(['-u', 'root', '-S', socket], statements);
  await answered(() => asRoot('SELECT 1')).catch((error: unknown) => {
    throw new Error(`MariaDB does not answer: ${readFileSync(log, 'utf8')}`, { cause: error });
  });
  await asRoot(
    `CREATE DATABASE shop CHARACTER SET utf8mb4; CREATE USER ann@'%' IDENTIFIED BY '${PASSWORD}'; GRANT ALL ON shop.* TO ann@'%'`,
  );
  const asAnn = ['-h', '127.0.0.1', '-P', String(port), '-u', 'ann', `-p${PASSWORD}`, 'shop'];
  return {
    port,
    uri: `mysql://ann:${PASSWORD}@127.0.0.1:${port}/shop`,
    run: async (statements) => void (await client(asAnn, statements)),
    stop: () => stopped(child, folder),
  };
}
