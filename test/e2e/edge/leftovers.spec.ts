import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runEdge, startEdge } from '../../server/start-edge.js';

const CITIES = ['-t', 'cities=uk_cities_with_headers.csv'];

describe('temporary files of the program', () => {
  let temporary: string;
  beforeEach(() => (temporary = mkdtempSync(join(tmpdir(), 'edge-leftovers-'))));
  afterEach(() => rmSync(temporary, { recursive: true, force: true }));

  it('go with it', async () => {
    const edge = await startEdge(CITIES, { variables: { TMPDIR: temporary } });
    expect(readdirSync(temporary)).toHaveLength(1);
    await edge.stop();
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('go when a table cannot be loaded', async () => {
    const { code } = await runEdge(['-t', 'a=none.csv'], { variables: { TMPDIR: temporary } });
    expect(code).toBe(1);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('go when it cannot listen', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const args = [...CITIES, '--addr-http', `127.0.0.1:${port}`];
    const { code, stderr } = await runEdge(args, { variables: { TMPDIR: temporary } });
    other.close();
    expect(`${code} ${stderr}`).toMatch(/^1 .*EADDRINUSE/s);
    expect(readdirSync(temporary)).toEqual([]);
  });
});
