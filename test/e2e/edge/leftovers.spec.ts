import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runEdge, startEdge } from '../../server/start-edge.js';

/** A start waits a minute for a server that answers nothing. */
const SOON_MS = 5_000;
const LATER_MS = 15_000;
const CITIES = ['-t', 'cities=uk_cities_with_headers.csv'];

describe('temporary files of the program', () => {
  let temporary: string;
  beforeEach(() => (temporary = mkdtempSync(join(tmpdir(), 'edge-leftovers-'))));
  afterEach(() => rmSync(temporary, { recursive: true, force: true }));

  it('go with it', async () => {
    const edge = await startEdge(CITIES, { variables: { TMPDIR: temporary } });
    expect(readdirSync(temporary)).toHaveLength(1);
    // Reading threads are there from the first query on.
    expect((await edge.sql('SELECT 1')).status).toBe(200);
    expect(await edge.stop()).toBe(0);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('go when a table cannot be loaded', async () => {
    const { code } = await runEdge(['-t', 'a=none.csv'], { variables: { TMPDIR: temporary } });
    expect(code).toBe(1);
    expect(readdirSync(temporary)).toEqual([]);
  });

  describe('when it is ended while a table is read', () => {
    const servers: Server[] = [];
    /** Takes a request and answers nothing. */
    const silent = async (): Promise<{ uri: string; asked: Promise<void> }> => {
      const server = createServer();
      servers.push(server);
      const asked = once(server, 'request').then(() => undefined);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return { uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.csv`, asked };
    };
    afterEach(() => {
      for (const server of servers.splice(0)) {
        server.closeAllConnections();
        server.close();
      }
    });

    it('go at once during the start', async () => {
      const { uri, asked } = await silent();
      let endedAt = 0;
      const ended = asked.then(() => (endedAt = performance.now()));
      const args = [...CITIES, '-t', `slow=${uri}`];
      await runEdge(args, { variables: { TMPDIR: temporary } }, ended);
      expect(performance.now() - endedAt).toBeLessThan(SOON_MS);
      expect(readdirSync(temporary)).toEqual([]);
    });

    it('go soon afterwards', async () => {
      const { uri, asked } = await silent();
      const edge = await startEdge(CITIES, { variables: { TMPDIR: temporary } });
      const gone = new AbortController();
      const registering = fetch(`${edge.url}/api/table`, {
        method: 'POST',
        body: JSON.stringify([{ tableName: 'slow', uri }]),
        headers: { 'content-type': 'application/json' },
        signal: gone.signal,
      });
      await asked;
      gone.abort();
      await expect(registering).rejects.toThrow();
      const endedAt = performance.now();
      await edge.stop();
      expect(performance.now() - endedAt).toBeLessThan(LATER_MS);
      expect(readdirSync(temporary)).toEqual([]);
    });
  });

  it('go when it cannot listen', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const args = [...CITIES, '--addr-http', `127.0.0.1:${port}`];
    const { code, stderr } = await runEdge(args, { variables: { TMPDIR: temporary } });
    other.close();
    expect(`${code} ${stderr}`).toMatch(
      /^1 .*EADDRINUSE.*another program listens there; choose another address by --addr-http/s,
    );
    expect(readdirSync(temporary)).toEqual([]);
  });
});
