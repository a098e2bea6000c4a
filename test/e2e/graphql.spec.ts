import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';
import { until } from '../server/until.js';

const fixture = (name: string): Buffer =>
  readFileSync(join(import.meta.dirname, '../fixtures/roapi', name));

interface Envelope {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly errors?: readonly { readonly message: string; readonly locations?: readonly object[] }[];
}

describe('GraphQL', () => {
  let server: BorrowedServer;

  const send = (body: string, contentType: string) =>
    server.client.call('graphql', { body, headers: { 'content-type': contentType } });
  const text = async (query: string): Promise<unknown> => {
    const answer = await send(query, 'text/plain');
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.bytes.toString()}`);
    return answer.json();
  };
  const data = async (query: string, variables?: object, operationName?: string) => {
    const answer = await send(
      JSON.stringify({ query, variables, operationName }),
      'application/json',
    );
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.bytes.toString()}`);
    return answer.json<Envelope>().data;
  };

  beforeAll(async () => {
    server = await borrowServer();
    await server.client.call('uk_cities/_csv?wait=true', {
      body: fixture('uk_cities_with_headers.csv'),
    });
    await server.client.upload('spacex', fixture('spacex_launches.ndjson'));
    await server.client.upload(
      'web-1.access',
      Array.from({ length: 100 }, (_, n) => ({
        _timestamp: 1_700_000_000 + n,
        n,
        status: n % 4 ? 200 : 500,
        bytes: n * 1.5,
        'user agent': n % 2 ? 'curl' : null,
        and: n % 3 === 0,
        big: '9007199254740993',
        doc: { a: n % 2 ? 'text' : { b: n, 'c-d': [{ k: n }, { k: null }] } },
      })),
    );
  });
  afterAll(() => server.giveBack());

  it('tells Apollo’s client, which sends a hash first, to send the query', async () => {
    const hash = { extensions: { persistedQuery: { version: 1, sha256Hash: 'ab' } } };
    const answer = await send(JSON.stringify({ operationName: 'a', ...hash }), 'application/json');
    const extensions = { code: 'PERSISTED_QUERY_NOT_SUPPORTED' };
    expect([answer.status, answer.json()]).toEqual([400, { errors: [{ message: 'PersistedQueryNotSupported', extensions }] }]); // prettier-ignore
    const both = JSON.stringify({ query: '{ spacex_aggregate { count } }', ...hash });
    expect((await send(both, 'application/json')).status).toBe(200);
  });

  it("answers ROAPI's queries with rows", async () => {
    expect(
      await text(
        '{ uk_cities(filter: {lat: {gt: 57.0}, lng: {lteq: -3}} sort: [{field: "lat", order: "desc"}] limit: 1) { city lat } }',
      ),
    ).toEqual([{ city: 'Elgin, Scotland, the UK', lat: 57.653484 }]);
    expect(
      await text('query { uk_cities(sort: [{field: "city"}], limit: 2, page: 2) { city } }'),
    ).toEqual(
      await text(
        'query { uk_cities(sort: [{field: city, order: asc}], limit: 2, offset: 2) { city } }',
      ),
    );
    expect(
      await text('{ spacex(filter: {name: "FalconSat"}) { links failures { reason } } }'),
    ).toMatchObject([
      {
        links: { webcast: expect.any(String) as string },
        failures: [{ reason: 'merlin engine failure' }],
      },
    ]);
    const csv = await server.client.call('graphql', {
      body: '{ uk_cities(limit: 1, sort: [{field: "lat"}]) { lat } }',
      headers: { accept: 'text/csv' },
    });
    expect(csv.bytes.toString()).toMatch(/^"lat"\n[\d.]+\n$/);
  });

  it('takes several fields, aliases, fragments, variables and directives', async () => {
    expect(
      await data(
        `query Named($s: Int, $words: [String!] = ["FalconSat"], $with: Boolean!) {
          a: web_1_access(filter: {status: $s, n: {lt: 5}}, sort: [{field: n, order: desc}]) { ...row }
          spacex(filter: {name: {in: $words}}) { name @include(if: $with) flight_number @skip(if: $with) }
          __typename
        }
        fragment row on web_1_access { number: n, ... on web_1_access { n: status } __typename }`,
        { s: 500, with: true },
      ),
    ).toEqual({
      a: [
        { number: 4, n: 500, __typename: 'web_1_access' },
        { number: 0, n: 500, __typename: 'web_1_access' },
      ],
      spacex: [{ name: 'FalconSat' }],
      __typename: 'Query',
    });
    const two = 'query A { uk_cities(limit: 0) { city } } query B { spacex(limit: 0) { name } }';
    expect(await data(two, {}, 'B')).toEqual({ spacex: [] });
  });

  it('filters with every operator, in and, or and not', async () => {
    const numbers = async (filter: string) =>
      (
        (await text(`{ web_1_access(filter: ${filter}, sort: [{field: "n"}]) { n } }`)) as {
          n: number;
        }[]
      ).map(({ n }) => n);
    expect(await numbers('{n: [1, 3]}')).toEqual([1, 3]);
    expect(await numbers('{n: {in: [1, -3, 9223372036854775807]}}')).toEqual([1]);
    expect(await numbers('{n: {gte: 2, lt: 6, ne: 4, nin: [3]}}')).toEqual([2, 5]);
    expect(await numbers('{n: {in: [2, 3.5, 4.0]}}')).toEqual([2, 4]);
    expect(await numbers('{n: {gte: 2, lt: 5, nin: [2.5, 3]}}')).toEqual([2, 4]);
    expect(await numbers('{or: [{n: 1}, {_and: [{n: {gt: 96}}, {and: true}]}]}')).toEqual([1, 99]);
    expect(await numbers('{not: {n: {gt: 1}}}')).toEqual([0, 1]);
    expect(await numbers('{user_agent: null, n: {lt: 4}}')).toEqual([0, 2]);
    expect(await numbers('{user_agent: {isnull: false, ilike: "CU%"}, n: {lt: 4}}')).toEqual([
      1, 3,
    ]);
    expect(await numbers('{_timestamp: {gte: "2023-11-14T22:14:58Z"}}')).toEqual([98, 99]);
    expect(await numbers('{_timestamp: {lt: 1700000002}}')).toEqual([0, 1]);
    expect(await numbers('{or: []}')).toEqual([]);
  });

  it('selects within JSON, and whole objects', async () => {
    expect(
      await text(
        '{ web_1_access(filter: {n: {lt: 2}}, sort: [{field: "n"}]) { doc { a { x: b c_d { k } } } } }',
      ),
    ).toEqual([
      { doc: { a: { x: 0, c_d: [{ k: 0 }, { k: null }] } } },
      { doc: { a: { x: null, c_d: [] } } },
    ]);
    expect(
      await text('{ web_1_access(filter: {n: {lt: 2}}, sort: [{field: "n"}]) { doc { a } } }'),
    ).toEqual([{ doc: { a: { b: 0, 'c-d': [{ k: 0 }, {}] } } }, { doc: { a: 'text' } }]);
  });

  it('aggregates', async () => {
    expect(
      await data(`{
        web_1_access_aggregate(sort: [{field: "count", order: "desc"}], filter: {n: {lt: 10}}) {
          group_by { code: status } count sum { n bytes } avg { bytes } min { n } max { _timestamp user_agent }
          agents: count(column: user_agent) kinds: count(column: "user_agent", distinct: true)
        }
        none: web_1_access_aggregate(filter: {n: -1}) { count sum { n } max { n } }
        sorted: web_1_access_aggregate(sort: [{field: "max.n"}], limit: 1) { group_by { status } }
      }`),
    ).toEqual({
      web_1_access_aggregate: [
        {
          group_by: { code: 200 },
          count: 7,
          sum: { n: 33, bytes: 49.5 },
          avg: { bytes: 49.5 / 7 },
          min: { n: 1 },
          max: { _timestamp: '2023-11-14T22:13:29.000000Z', user_agent: 'curl' },
          agents: 5,
          kinds: 1,
        },
        {
          group_by: { code: 500 },
          count: 3,
          sum: { n: 12, bytes: 18 },
          avg: { bytes: 6 },
          min: { n: 0 },
          max: { _timestamp: '2023-11-14T22:13:28.000000Z', user_agent: null },
          agents: 0,
          kinds: 0,
        },
      ],
      none: [{ count: 0, sum: { n: null }, max: { n: null } }],
      sorted: [{ group_by: { status: 500 } }],
    });
  });

  it('tells its schema, which follows the streams', async () => {
    const schemaNow = async () =>
      buildClientSchema((await data(getIntrospectionQuery())) as unknown as IntrospectionQuery);
    const before = await schemaNow();
    expect(Object.keys(before.getQueryType()?.getFields() ?? {})).toEqual(
      expect.arrayContaining(['uk_cities', 'uk_cities_aggregate', 'web_1_access', '_rejected']),
    );
    expect(String(before.getQueryType()?.getFields().spacex?.type)).toBe('[spacex!]!');
    await server.client.upload('uk_cities', [{ city: 'New', lat: 1.5, mayor: 'Ann' }]);
    const type = (await schemaNow()).getType('uk_cities');
    expect(Object.keys((type as unknown as { getFields(): object }).getFields())).toContain(
      'mayor',
    );
    expect(await text('{ uk_cities(filter: {mayor: "Ann"}) { mayor } }')).toEqual([
      { mayor: 'Ann' },
    ]);
  });

  const REFUSED: readonly (readonly [string, number])[] = [
    ['', 400],
    ['{', 400],
    ['{ nope { a } }', 404],
    ['{ spacex { nope } }', 400],
    ['{ spacex }', 400],
    ['{ spacex { name { x } } }', 400],
    ['{ spacex(filter: {flight_number: "x"}) { name } }', 400],
    ['{ spacex(filter: {name: {foo: 1}}) { name } }', 400],
    ['{ spacex(filter: {links: {eq: 1}}) { name } }', 400],
    ['{ spacex(filter: {name: {like: null}}) { name } }', 400],
    ['{ spacex(filter: {flight_number: {like: "1%"}}) { name } }', 400],
    ['{ spacex(limit: -1) { name } }', 400],
    ['{ spacex(limit: 99999999999) { name } }', 400],
    ['{ spacex(page: 1) { name } }', 400],
    ['{ spacex(sort: [{field: "nope"}]) { name } }', 400],
    ['{ spacex(sort: [{field: "name", order: "up"}]) { name } }', 400],
    ['{ spacex_aggregate(sort: [{field: "name"}]) { count } }', 400],
    ['{ spacex_aggregate { count(column: "nope") } }', 400],
    ['mutation { spacex { name } }', 400],
    ['query A { spacex { name } } query B { spacex { name } }', 400],
    ['{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }', 400],
    [`{ spacex ${'{ links '.repeat(50)}`, 400],
    ['{'.repeat(100_000), 400],
    ['{'.repeat(10 * 1024 * 1024), 413],
    [`{ spacex { ${'name '.repeat(11_000)} } }`, 400],
    [`{ ${Array.from({ length: 21 }, (_, n) => `a${n}: spacex { name }`).join(' ')} }`, 400],
    [
      `{ spacex { ...f0 } } ${Array.from({ length: 12 }, (_, n) => `fragment f${n} on spacex { ${Array.from({ length: 3 }, (__, k) => `...f${n + 1} n${n}${k}: name`).join(' ')} }`).join(' ')} fragment f12 on spacex { name }`,
      400,
    ],
  ];
  it('knows a key within JSON a second after its batch', async () => {
    await server.client.upload('growing', [{ doc: { a: 1 } }]);
    await text('{ growing { doc { a } } }');
    await server.client.upload('growing', [{ doc: { a: 2, late: 'x' } }]);
    const started = performance.now();
    await until(async () => {
      const { status, bytes } = await send('{ growing { doc { late } } }', 'text/plain');
      return status === 200 && bytes.includes('"late":"x"');
    });
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('tells fields of tables as ROAPI does', async () => {
    const field = (name: string, type: unknown, nullable = true) => ({
      name,
      data_type: type,
      nullable,
      dict_id: 0,
      dict_is_ordered: false,
    });
    const [all, one, none] = await Promise.all(
      ['', '/spacex', '/spcex'].map((path) => server.client.call(`schema${path}`)),
    );
    const { spacex = { fields: [] } } =
      all?.json<Record<string, { fields: { name: string }[] }>>() ?? {};
    expect(one?.json()).toEqual(spacex);
    expect(spacex.fields).toEqual(
      expect.arrayContaining([
        field('_timestamp', { Timestamp: ['Microsecond', 'UTC'] }, false),
        field('flight_number', 'Int64'),
        field('upcoming', 'Boolean'),
        field('capsules', { List: field('item', 'Utf8') }, false),
        field('fairings', {
          Struct: [
            field('recovered', 'Boolean'),
            field('recovery_attempt', 'Boolean'),
            field('reused', 'Boolean'),
            field('ships', { List: field('item', 'Utf8') }),
          ],
        }),
        field('failures', {
          List: field('item', {
            Struct: [field('altitude', 'Int64'), field('reason', 'Utf8'), field('time', 'Int64')],
          }),
        }),
      ]),
    );
    expect(none?.status).toBe(404);
  });

  it.each(REFUSED.map(([query, status]) => [query.slice(0, 60), status, query] as const))(
    'answers %s with %i within a second',
    async (_, status, query) => {
      const started = performance.now();
      const answer = await send(query, 'text/plain');
      expect([answer.bytes.toString().slice(0, 200), answer.status]).toEqual([
        expect.stringContaining('message'),
        status,
      ]);
      expect(performance.now() - started).toBeLessThan(1000);
    },
  );

  it('says what a body of JSON lacks', async () => {
    const answer = await send('{"query":"{ spacex { name } }"}', 'text/plain');
    expect([answer.status, answer.json<{ message: string }>().message]).toEqual([
      400,
      'that is JSON, not GraphQL; JSON wants the header Content-Type: application/json',
    ]);
  });

  it('answers whatever streams, fields and keys are called', async () => {
    await server.client.upload('-', [{ '-': 1, é: 2, è: 3, o: { '-': 4, ö: 5, __proto__x: 6 } }]);
    await server.client.upload('--', [{ __typename: 'x', _: 7 }]);
    expect(await data('{ _ { _ _2 _3 o { _ _2 _proto__x } } }')).toEqual({
      _: [{ _: 1, _2: 2, _3: 3, o: { _: 4, _2: 5, _proto__x: 6 } }],
    });
    expect(await data('{ _2(filter: { _: { eq: 7 } }) { _ _typename } }')).toEqual({
      _2: [{ _: 7, _typename: 'x' }],
    });
    const { __schema } = (await data(getIntrospectionQuery())) as unknown as IntrospectionQuery;
    expect(buildClientSchema({ __schema }).getQueryType()?.getFields()).toHaveProperty('uk_cities');
  });

  it('tells failures as clients of GraphQL look for them', async () => {
    const answer = await send(JSON.stringify({ query: '{ spacex { nme } }' }), 'application/json');
    expect([answer.status, answer.json()]).toEqual([
      400,
      {
        code: 400,
        message: expect.stringContaining('Did you mean "name"') as string,
        errors: [
          {
            message: expect.stringContaining('Did you mean "name"') as string,
            locations: [{ line: 1, column: 12 }],
          },
        ],
      },
    ]);
    const unknown = await send(JSON.stringify({ query: '{ spcex { name } }' }), 'application/json');
    expect([unknown.status, unknown.json<Envelope>().errors]).toEqual([
      404,
      [{ message: expect.stringContaining('did you mean "spacex"') as string }],
    ]);
  });
});
