import { getIntrospectionQuery } from 'graphql';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

interface Answer {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: readonly string[];
    readonly extensions?: object;
  }[];
}

describe('metadata, by GraphQL', () => {
  let server: BorrowedServer;
  const viewer = { email: 'viewer@metadata.example.com', password: 'Secret-77' };

  const ask = async (query: string, variables?: object, credentials?: typeof viewer) => {
    const answer = await server.client.call('catalog', {
      body: JSON.stringify({ query, variables }),
      ...(credentials ? { credentials } : {}),
    });
    return { status: answer.status, ...answer.json<Answer>() };
  };

  beforeAll(async () => {
    server = await borrowServer();
    await server.client.upload('logs', [{ a: 1 }, { a: 2 }]);
    await server.client.call('users', {
      body: JSON.stringify({ ...viewer, first_name: 'V', last_name: 'W', role: 'viewer' }),
    });
  });
  afterAll(() => server.giveBack());

  it('tells of the organization, its streams, members and trail', async () => {
    const { status, data } = await ask(
      `query ($k: String!) {
        organization { name users }
        streams(keyword: $k) { name stats { doc_num } schema { name type } settings { data_retention } }
        none: streams(keyword: "nope") { name }
        users { email role }
        audit(type: "StreamCreated") { total hits { type actor outcome } }
      }`,
      { k: 'og' },
    );
    expect([status, data]).toEqual([
      200,
      {
        organization: { name: server.organization, users: 2 },
        streams: [
          {
            name: 'logs',
            stats: { doc_num: 2 },
            schema: [
              { name: '_timestamp', type: 'Timestamp' },
              { name: 'a', type: 'Int64' },
            ],
            settings: { data_retention: 0 },
          },
        ],
        none: [],
        users: [
          { email: 'founder@lent.example.com', role: 'admin' },
          { email: viewer.email, role: 'viewer' },
        ],
        audit: {
          total: 1,
          hits: [{ type: 'StreamCreated', actor: 'root@example.com', outcome: 'done' }],
        },
      },
    ]);
  });

  it('shows a viewer what a viewer may see, and says what not', async () => {
    const { status, data, errors } = await ask(
      '{ streams { name } users { email } audit { total } }',
      {},
      viewer,
    );
    expect([status, data]).toEqual([
      200,
      { streams: [{ name: 'logs' }], users: null, audit: null },
    ]);
    expect(errors?.map(({ path, extensions }) => [path, extensions])).toEqual([
      [['users'], { code: 'FORBIDDEN', status: 403 }],
      [['audit'], { code: 'FORBIDDEN', status: 403 }],
    ]);
  });

  it('answers mistakes as GraphQL does, and bodies that are none as everywhere', async () => {
    const unknown = await ask('{ stream { name } }');
    expect([unknown.status, unknown.errors?.[0]?.message]).toEqual([
      200,
      expect.stringContaining('Did you mean "streams"'),
    ]);
    expect((await ask('{ audit(size: 100000) { total } }')).errors?.[0]?.extensions).toEqual({
      code: 'INVALID_PARAMETER',
      status: 400,
    });
    expect((await ask(`{ ${'a '.repeat(2000)} }`)).errors).toHaveLength(1);
    const whole = await ask(getIntrospectionQuery());
    expect([whole.errors, whole.data?.['__schema']]).toEqual([undefined, expect.anything()]);
    expect((await server.client.call('catalog', { body: '{}' })).status).toBe(400);
  });
});
