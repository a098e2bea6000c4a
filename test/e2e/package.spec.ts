import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import * as modules from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '../server/client.js';
import { printedLine } from '../server/printed-line.mjs';
import { ROOT } from '../server/start-server.js';

const root = join(import.meta.dirname, '../..');
interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
// Seventy megabytes are packed, and a server starts.
const TIMEOUT_MS = 180_000;
const MIB = 1024 * 1024;

/** Bytes of all files that Node.js reads before the program does anything. */
function loadedAtOnce(program: string): number {
  const files = new Set([program]);
  let bytes = 0;
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    bytes += text.length;
    const imported = /(?:\bfrom|\bimport)\s*["'](\.{1,2}\/[^"']+)["']/g;
    const paths = [...text.matchAll(imported)].map(([, path = '']) => join(dirname(file), path));
    // A text within the program may look like an import.
    for (const path of paths.filter((each) => existsSync(each))) files.add(path);
  }
  return bytes;
}

const PROGRAMS = [
  ...['main', 'projector', 'replay', 'dead-letter', 'audit-verify', 'backup', 'restore']
    .concat('change-key', 'seal-events', 'reconcile')
    .map((name) => `dist/apps/api/${name}.js`),
  ...['dist/apps/ingest-writer/main.js', 'dist/apps/edge/bundle.mjs'],
];

/** `npx millrace` gets this: the package as npm packs it, unpacked, beside the packages it needs. */
describe('the npm package', () => {
  let folder: string;
  let files: readonly string[];
  let unpacked: string;
  const millrace = (...args: string[]): string =>
    execFileSync(process.execPath, [join(unpacked, 'bin/millrace.mjs'), ...args], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: folder },
    });

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-package-'));
    // The tree is built already, and other tests run what is in dist, so no script runs here.
    const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
    const name = execFileSync('npm', args, { cwd: root, encoding: 'utf8' }).trim();
    const archive = join(folder, name);
    files = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((path) => path.replace(/^package\//, ''));
    execFileSync('tar', ['-xzf', archive, '-C', folder]);
    unpacked = join(folder, 'package');
    symlinkSync(join(root, 'node_modules'), join(unpacked, 'node_modules'));
  }, TIMEOUT_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has its programs, built, and no sources', () => {
    const wanted = [
      ...Object.values(manifest.bin),
      ...PROGRAMS,
      'dist/apps/cli/main.js',
      ...['CHANGELOG.md', 'README.md', 'LICENSE', 'docs/operators.md'],
      'deploy/prometheus/alerts.yml',
    ];
    expect(wanted.filter((path) => !files.includes(path))).toEqual([]);
    expect(files.filter((path) => /^(?:apps|libs|test|secrets|data)\/|\.ts$/.test(path))).toEqual(
      [],
    );
    expect(files.filter((path) => /\.build-stamp|\.compile-cache/.test(path))).toEqual([]);
    // A pack must contain a build of these sources.
    expect(manifest.scripts.prepack).toBe(manifest.scripts.build);
  });

  it('has what a browser loads of GraphiQL, in place of its package and the hundred that this brings', () => {
    const loaded = ['graphiql.min.js', 'graphiql.min.css', 'react.production.min.js', 'react-dom.production.min.js', 'LICENSE.graphiql', 'LICENSE.react']; // prettier-ignore
    const wanted = loaded.map((name) => `dist/libs/query/graphiql/${name}`);
    expect(wanted.filter((path) => !files.includes(path))).toEqual([]);
    expect(Object.keys(manifest.dependencies)).not.toContain('graphiql');
  });

  it('has each file that a program of bin/ imports', () => {
    const ours = files.filter((path) => /^bin\/.*\.[mc]js$/.test(path));
    const imported = ours.flatMap((path) =>
      [
        ...readFileSync(join(unpacked, path), 'utf8').matchAll(/(?:from|require\() ?'\.\/(.+?)'/g),
      ].map(([, name = '']) => `bin/${name}`),
    );
    expect(imported.length).toBeGreaterThan(3);
    expect(imported.filter((path) => !files.includes(path))).toEqual([]);
  });

  it.each(PROGRAMS)('%s says how it is used before it loads what it works with', (program) => {
    const bytes = loadedAtOnce(join(unpacked, program));
    // The edge program reads its arguments first, whatever they are, and says what is wrong with them.
    expect(bytes).toBeLessThan(program.includes('/edge/') ? 2 * MIB : MIB / 16);
  });

  it('tells its version, which is in one place, and its commands', () => {
    expect(millrace('--version')).toBe(`millrace ${manifest.version}\n`);
    expect(millrace('--help')).toMatch(/^usage: millrace <command>[^]*serve[^]*audit:verify/);
    expect(millrace('serve', '--help')).toMatch(/^usage: millrace serve\n/);
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      version: string;
      packages: Record<string, { version: string }>;
    };
    expect([lock.version, lock.packages['']?.version]).toEqual([
      manifest.version,
      manifest.version,
    ]);
    expect(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')).toContain(`## ${manifest.version}\n`);
  });

  it(
    'serves, builds nothing, and keeps nothing beside itself',
    async () => {
      const child = spawn(process.execPath, [join(unpacked, 'bin/millrace.mjs'), 'serve'], {
        cwd: folder,
        env: {
          PATH: process.env.PATH,
          MILLRACE_HTTP_ADDR: '127.0.0.1:0',
          MILLRACE_ROOT_PASSWORD: ROOT.password,
          MILLRACE_DRAIN_SECONDS: '0',
          MILLRACE_LOG_LEVEL: 'fatal',
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const exited = once(child, 'exit');
      const url = (await printedLine(child.stdout, /listens on (\S+)/))?.[1] ?? '';
      try {
        const client = new Client(url, ROOT);
        await client.upload('logs', [{ a: 1 }]);
        expect(await client.sql('SELECT a FROM logs')).toEqual([{ a: 1 }]);
        const openApi = await client.call('/openapi.json', { credentials: 'none' });
        expect(openApi.json<{ info: { version: string } }>().info.version).toBe(manifest.version);
      } finally {
        child.kill('SIGTERM');
      }
      expect(await exited).toEqual([0, null]);
      expect(existsSync(join(folder, 'data', 'warehouse'))).toBe(true);
      expect(existsSync(join(unpacked, 'dist/.build-stamp'))).toBe(false);
      // The cache lies beside the program, in a place that only those can change who may change the
      // program.
      const keeps = 'enableCompileCache' in modules;
      expect(existsSync(join(unpacked, 'dist/.compile-cache'))).toBe(keeps);
    },
    TIMEOUT_MS,
  );
});
