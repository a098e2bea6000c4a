import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

describe('GraphiQL', () => {
  let server: BorrowedServer;
  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  it('asks for credentials, as all that is not open', async () => {
    for (const path of ['/graphiql', '/graphiql/page.js', '/graphiql/nothing.js']) {
      const { status, headers } = await server.client.call(path, { credentials: 'none' });
      expect([status, headers['www-authenticate']]).toEqual([401, 'Basic realm="millrace"']);
    }
  });

  it('is a page of files that this server has, and of no others', async () => {
    const page = await server.client.call('/graphiql');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    const links = [...page.bytes.toString().matchAll(/(?:src|href)="([^"]*)"/g)]
      .map(([, link]) => link ?? '')
      .filter((link) => link !== 'data:,');
    expect(links.sort()).toEqual([
      'graphiql/graphiql.css',
      'graphiql/graphiql.js',
      'graphiql/page.css',
      'graphiql/page.js',
      'graphiql/react-dom.js',
      'graphiql/react.js',
    ]);
    for (const link of links) {
      const { status, headers, bytes } = await server.client.call(`/${link}`);
      const type = link.endsWith('.js') ? 'text/javascript' : 'text/css';
      expect([link, status, headers['content-type']]).toEqual([
        link,
        200,
        `${type}; charset=utf-8`,
      ]);
      if (type === 'text/css') expect(bytes.toString()).not.toMatch(/url\((?!["']?data:)/);
      const again = await server.client.call(`/${link}`, {
        headers: { 'if-none-match': String(headers.etag) },
      });
      expect([again.status, again.bytes.length]).toEqual([304, 0]);
    }
  });

  it('defines what its page uses', async () => {
    const script = async (name: string): Promise<string> =>
      (await server.client.call(`/graphiql/${name}`)).bytes.toString();
    expect(await script('react.js')).toContain('.createElement=');
    expect(await script('react-dom.js')).toContain('.createRoot=');
    expect(await script('graphiql.js')).toContain('createFetcher');
  });

  it('has no other files', async () => {
    for (const path of ['/graphiql/package.json', '/graphiql/..%2fpackage.json'])
      expect((await server.client.call(path)).status).toBe(404);
  });
});
