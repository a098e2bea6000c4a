import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer, type Server } from '../server/start-server.js';
import { partsOf } from '../server/table-parts.js';

interface StreamRecord {
  readonly name: string;
  readonly stats: { readonly doc_num: number };
  readonly damaged?: { readonly parts: number; readonly rows?: number; readonly detail: string };
}

/** The server waits five seconds for an engine that does not end, and the machine may have other work. */
const STOPS_MS = 15_000;
const ROWS = 100;
/** With so few the engine does not merge their parts. */
const UPLOADS = 3;

/** Changes more than one bit; the engine would find a single one. */
function changeMiddle(file: string): void {
  const bytes = readFileSync(file);
  const middle = Math.floor(bytes.length / 2);
  for (let at = middle; at < middle + 8; at += 1) bytes[at] = (bytes[at] ?? 0) ^ 0x5a;
  writeFileSync(file, bytes);
}

/** The log, `/readyz`, a metric and the stream's record tell when the engine loses something in silence. */
describe('a part of a table that is damaged while the server is stopped', () => {
  /** A server that was stopped left this folder. */
  let whole: string;
  let dataDirectory: string;
  let server: Server | undefined;

  const start = async (): Promise<Server> => {
    server = await startServer({ dataDirectory, variables: { MILLRACE_LOG_LEVEL: 'error' } });
    return server;
  };
  const stop = async (): Promise<void> => {
    await server?.stop();
    server = undefined;
  };
  const record = async (name: string): Promise<StreamRecord | undefined> => {
    const answer = await server?.client.call('/api/default/streams');
    return answer?.json<{ list: StreamRecord[] }>().list.find((each) => each.name === name);
  };
  const readyz = async (): Promise<{ status: number; body: Record<string, unknown> }> => {
    const answer = await server?.client.call('/readyz', { credentials: 'none' });
    return { status: answer?.status ?? 0, body: answer?.json() ?? {} };
  };

  beforeAll(async () => {
    whole = mkdtempSync(join(tmpdir(), 'millrace-whole-'));
    dataDirectory = whole;
    const { client } = await start();
    for (let upload = 0; upload < UPLOADS; upload += 1)
      await client.upload(
        'logs',
        Array.from({ length: ROWS }, (_, n) => ({ marked: n })),
      );
    await client.upload('whole', [{ n: 1 }]);
    await stop();
  });
  afterAll(() => rmSync(whole, { recursive: true, force: true }));
  beforeEach(() => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-damaged-'));
    cpSync(whole, dataDirectory, { recursive: true, verbatimSymlinks: true });
  });
  afterEach(async () => {
    await stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  it('is reported when the engine sets it aside, at each start and once in the log', async () => {
    const [part] = partsOf(dataDirectory, 'marked');
    const checksums = join(part?.path ?? '', 'checksums.txt');
    truncateSync(checksums, Math.floor(statSync(checksums).size / 2));
    for (let starts = 0; starts < 2; starts += 1) {
      const { client, output } = await start();
      expect(await client.count('logs')).toBe((UPLOADS - 1) * ROWS);
      expect(await record('logs')).toMatchObject({
        stats: { doc_num: (UPLOADS - 1) * ROWS },
        damaged: {
          parts: 1,
          rows: ROWS,
          detail: expect.stringContaining('docs/operations.md') as unknown,
        },
      });
      expect(await record('whole')).not.toHaveProperty('damaged');
      expect(await readyz()).toEqual({
        status: 200,
        body: { status: 'ok', damaged: { parts: 1, missing_rows: ROWS } },
      });
      const lines = output().split('\n');
      const told = lines.filter((line) => line.includes(`broken-on-start_${part?.name ?? ''}`));
      expect(told).toHaveLength(1);
      expect(told[0]).toContain('docs/operations.md');
      const metrics = (await client.call('/metrics')).bytes.toString();
      expect(metrics).toMatch(/^millrace_damaged_parts 1$/m);
      expect(metrics).toMatch(new RegExp(`^millrace_missing_rows ${ROWS}$`, 'm'));
      await stop();
    }
  });

  it('is reported when nothing of it is left on the disk', async () => {
    const [part] = partsOf(dataDirectory, 'marked');
    rmSync(part?.path ?? '', { recursive: true });
    await start();
    expect(await record('logs')).toMatchObject({ damaged: { parts: 0, rows: ROWS } });
    expect((await readyz()).body).toMatchObject({ damaged: { missing_rows: ROWS } });
    expect(server?.output()).toContain('rows of a table are gone');
  });

  it('is reported when a query meets it, which fails with the name of the table', async () => {
    const [part] = partsOf(dataDirectory, 'marked');
    changeMiddle(join(part?.path ?? '', 'data.bin'));
    const { client } = await start();
    const body = 'SELECT sum(marked), max(_timestamp) FROM logs';
    const answer = await client.call('/api/default/sql', { body });
    expect([answer.status, answer.bytes.toString()]).toEqual([
      503,
      expect.stringMatching(/the table logs cannot be read: .*docs\/operations\.md/),
    ]);
    expect(await record('logs')).toMatchObject({ damaged: { parts: 1 } });
    expect((await readyz()).body).toMatchObject({ status: 'ok', damaged: { parts: 1 } });
    expect(await client.count('whole')).toBe(1);
  });

  it('does not keep a server from stopping, when the engine is lost in it', async () => {
    const { client } = await start();
    const texts = Array.from({ length: 10_000 }, () => ({
      large: randomBytes(120).toString('latin1'),
    }));
    await client.upload('texts', texts);
    await stop();
    for (const { path } of partsOf(dataDirectory, 'large')) changeMiddle(join(path, 'data.bin'));
    const variables = { MILLRACE_QUERY_TIMEOUT_SECONDS: '2' };
    server = await startServer({ dataDirectory, variables });
    const body = "SELECT count() FROM texts WHERE large LIKE '%zzzz%'";
    // The engine looks for the one bit that may have changed, and hears of no time limit meanwhile.
    const answer = await server.client.call('/api/default/sql', { body });
    expect([408, 503]).toContain(answer.status);
    const asked = performance.now();
    await stop();
    expect(performance.now() - asked).toBeLessThan(STOPS_MS);
  });

  it('is not told of tables that are whole, nor after a kill', async () => {
    const { client } = await start();
    await client.upload('logs', [{ n: 1 }]);
    await server?.kill();
    await start();
    expect(await record('logs')).not.toHaveProperty('damaged');
    expect((await readyz()).body).toEqual({ status: 'ok' });
  });
});
