import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Answer } from '../server/client.js';
import { startEdge } from '../server/start-edge.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const BROWSER = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' };

describe('the console', () => {
  let server: BorrowedServer;
  const ask = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    server.client.call(path, { headers, credentials: 'none' });
  const links = ({ bytes }: Answer): string[] =>
    [...bytes.toString().matchAll(/(?:src|href)="([^"]*)"/g)]
      .map(([, link]) => link ?? '')
      .filter((link) => link !== 'data:,');

  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  it('is what a browser gets at /, and a program gets what it got', async () => {
    const page = await ask('/', BROWSER);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.bytes.toString()).toContain('data-program="hosted"');
    expect(page.headers).toMatchObject({ 'cache-control': 'no-cache', vary: 'Accept' });
    for (const accept of [undefined, '*/*', 'application/json']) {
      const answer = await ask('/', accept === undefined ? {} : { accept });
      expect([answer.status, answer.json()]).toEqual([
        404,
        { code: 404, message: 'no such route: GET /' },
      ]);
    }
    expect((await ask('/nowhere', BROWSER)).json()).toMatchObject({ code: 404 });
    const again = await ask('/', { ...BROWSER, 'if-none-match': String(page.headers.etag) });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
  });

  it('has its own files only, runs no script within the page, and keeps them for ever', async () => {
    const page = await ask('/', BROWSER);
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const text = page.bytes.toString();
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
    expect(links(page)).toEqual([
      expect.stringMatching(/^console\/licenses-[A-Z0-9]{8}\.txt$/),
      expect.stringMatching(/^console\/console-[A-Z0-9]{8}\.css$/),
      expect.stringMatching(/^console\/console-[A-Z0-9]{8}\.js$/),
    ]);
    for (const link of links(page)) {
      const file = await ask(`/${link}`);
      expect([file.status, file.headers['cache-control'], file.headers.vary]).toEqual([
        200,
        'public, max-age=31536000, immutable',
        'Accept-Encoding',
      ]);
      expect(file.headers['x-content-type-options']).toBe('nosniff');
      if (link.endsWith('.txt')) expect(file.bytes.toString()).toContain('preact');
      expect(file.bytes.toString()).not.toMatch(/(?:src|url|import)\(?["']?https?:/);
      if (link.endsWith('.txt')) continue;
      const packed = await ask(`/${link}`, { 'accept-encoding': 'gzip, br' });
      expect(packed.headers['content-encoding']).toBe('br');
      expect(brotliDecompressSync(packed.bytes)).toEqual(file.bytes);
      const gzipped = await ask(`/${link}`, { 'accept-encoding': 'gzip, br;q=0' });
      expect(gzipped.headers['content-encoding']).toBe('gzip');
      expect(gunzipSync(gzipped.bytes)).toEqual(file.bytes);
    }
  });

  it('loads at most 250 KB compressed at first', async () => {
    const files = await Promise.all(
      links(await ask('/', BROWSER))
        .filter((link) => !link.endsWith('.txt'))
        .map((link) => ask(`/${link}`, { 'accept-encoding': 'gzip' })),
    );
    const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(250_000);
  });

  it.each([
    ...['index.html', 'console.js', '..%2fapi%2fmain.js', '..%5capi%5cmain.js'],
    ...['console-AAAAAAAA.js', 'console-AAAAAAAA.js.br', '%00', 'a'.repeat(300)],
  ])('has no file %s', async (name) => {
    const { status, headers } = await ask(`/console/${name}`);
    expect([status, headers['cache-control']]).toEqual([404, 'no-store']);
  });
});

it('is served by the edge program, for tables', async () => {
  const edge = await startEdge(['--table', 't=spacex_launches.json']);
  try {
    const page = await edge.get('/', BROWSER);
    expect(page.status).toBe(200);
    expect(page.text).toContain('data-program="edge"');
    const [, script = ''] = /src="([^"]*)"/.exec(page.text) ?? [];
    const file = await edge.get(`/${script}`);
    expect([file.status, file.headers.get('content-type')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ]);
    expect((await edge.get('/')).status).toBe(404);
  } finally {
    await edge.stop();
  }
});
