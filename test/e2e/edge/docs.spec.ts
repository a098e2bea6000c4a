import { startEdge, type Edge } from '../../server/start-edge.js';

interface Document {
  readonly info: { readonly title: string };
  readonly paths: Readonly<Record<string, object>>;
}

describe('the pages of the edge program', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge(['-t', 'cities=uk_cities_with_headers.csv', '--token', 'a-token']);
  });
  afterAll(() => edge.stop());

  const linksOf = (html: string): readonly string[] =>
    [...html.matchAll(/(?:src|href)="([^"]*)"/g)]
      .map(([, link = '']) => link)
      .filter((link) => link !== '' && !link.startsWith('data:'));

  it('has its own routes at /openapi.json, and a page of them, open to all', async () => {
    const { paths, info } = (await edge.get('/openapi.json')).json<Document>();
    expect(info.title).toBe('Millrace edge');
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(['/api/sql', '/api/kv/{store}/{key}', '/api/table', '/healthz']),
    );
    expect(Object.keys(paths).filter((path) => path.includes('{org}'))).toEqual([]);
    const page = await edge.get('/docs', { accept: 'text/html' });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const links = linksOf(page.text);
    expect(links.length).toBeGreaterThan(2);
    for (const link of links) {
      const { status } = await edge.get(new URL(link, `${edge.url}/docs`).pathname);
      expect([link, status]).toEqual([link, 200]);
    }
  });

  it('has GraphiQL for who has the token', async () => {
    expect((await edge.get('/graphiql')).status).toBe(401);
    const headers = { authorization: 'Bearer a-token' };
    const page = await edge.get('/graphiql', headers);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.text).toContain('data-program="edge"');
    for (const link of linksOf(page.text)) {
      const { status } = await edge.get(`/${link}`, headers);
      expect([link, status]).toEqual([link, 200]);
    }
    expect((await edge.get('/graphiql/page.js', headers)).text).toContain('api/graphql');
  });
});
