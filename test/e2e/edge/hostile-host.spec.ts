import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEdge } from '../../server/start-edge.js';
import { until } from '../../server/until.js';

const CREDENTIALS = { MILLRACE_USER: 'ann@example.com', MILLRACE_PASSWORD: 'x' };
const NAMES = ['x/../../escaped', '../../escaped', '/tmp/escaped', 'a b'];

describe('following a hosted side that is hostile', () => {
  let folder: string;
  let hosted: Server;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edge-hostile-'));
    const schemas = Object.fromEntries(NAMES.map((name) => [name, { fields: [] }]));
    hosted = createServer((_request, answer) => answer.end(JSON.stringify(schemas)));
    await new Promise<void>((resolve) => hosted.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    hosted.closeAllConnections();
    hosted.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('passes names over that are paths, says so, and writes nothing elsewhere', async () => {
    const cache = join(folder, 'cache');
    const { port } = hosted.address() as AddressInfo;
    const from = ['--follow', `http://127.0.0.1:${port}`, '--org', 'acme'];
    const edge = await startEdge([...from, '--follow-cache', cache], { variables: CREDENTIALS });
    try {
      await until(async () => (await edge.get('/readyz')).status === 200);
      expect((await edge.get('/readyz')).json()).toMatchObject({
        follow: { streams: 0, failures: 0 },
      });
      for (const name of NAMES) expect(edge.output()).toContain(JSON.stringify(name));
      expect(edge.output()).toContain('not followed: want a name of');
      expect(readdirSync(folder)).toEqual(['cache']);
      expect(readdirSync(cache).sort()).toEqual(['organization.json', 'pid']);
      expect(existsSync(join(folder, 'escaped'))).toBe(false);
    } finally {
      await edge.stop();
    }
  });
});
