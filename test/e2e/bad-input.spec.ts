import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { compress } from '@cloudpss/zstd/napi';
import { mostMemory } from '../bench/process-memory.js';
import { zstdBomb } from '../fixtures/zstd-bomb.js';
import type { Answer } from '../server/client.js';
import { startServer, type Server } from '../server/start-server.js';

const MIB = 1024 * 1024;
const zstd = (text: string): Buffer => Buffer.from(compress(Buffer.from(text)));

describe('bad input', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer({
      variables: {
        MILLRACE_MAX_UPLOAD_BYTES: String(80 * MIB),
        MILLRACE_MAX_RECORD_BYTES: String(16 * MIB),
      },
    });
    await server.client.upload('kept', [{ n: 1, deep: { a: 1 } }]);
  });
  afterAll(() => server.stop());

  // After any input the server still answers, and has all acknowledged data.
  afterEach(async () => {
    expect(await server.client.count('kept')).toBe(1);
  });

  const post = (
    body: string | Buffer,
    headers: Record<string, string> = {},
    stream = 'bad',
  ): Promise<Answer> => server.client.call(`/api/default/${stream}/_json`, { body, headers });

  const expectError = (answer: Answer, status: number, message: RegExp): void => {
    const body = answer.json<{ code: number; message: string }>();
    expect([answer.status, body.code]).toEqual([status, status]);
    expect(body.message).toMatch(message);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.headers['x-request-id']).toBeDefined();
  };

  it.each([
    ['one malformed object', '{"a":1,}', /line 1: malformed JSON: .* at column 8/],
    ['a malformed first line', '{"a":nope}', /line 1: malformed JSON: .* at column \d+/],
    ['an array without its end', '[{"a":1},{"b":2}', /never ends/],
    ['an array whose record never ends', '[{"a":1},{"b":2]', /array never ends/],
    ['a text that never ends', '[{"a":"x}]', /record that begins at byte 2 never ends/],
    ['a missing comma', '[{"a":1} {"b":2}]', /unexpected "\{" at byte 10/],
    ['a trailing comma', '[{"a":1},]', /unexpected "\]" at byte 10/],
    ['something after the end', '[{"a":1}] x', /unexpected "x" at byte 11/],
    ['a line break in a text', '[{"a":"x\ny"}]', /line break inside a text at byte 9/],
    ['a number', '5', /want a JSON object, this is/],
    ['a text', '"hello"', /want a JSON object, this is string/],
    ['null', 'null', /want a JSON object, this is null/],
    ['an array of numbers', '[1,2,3]', /record 1: want a JSON object/],
    ['no body', '', /empty/],
    ['blanks', ' \r\n\t ', /empty/],
    [
      'invalid UTF-8',
      Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
      /invalid UTF-8; convert the text, for example with iconv$/,
    ],
    ['a NUL byte in a text', '{"a":"x\u0000y"}', /malformed JSON/],
    [
      'a number beyond 64 bits',
      '{"a":18446744073709551616}',
      /number 18446744073709551616 is beyond 64 bits/,
    ],
    ['a number beyond floats', '{"a":1e400}', /number 1e400 is beyond 64 bits/],
    [
      'a number below 64 bits',
      '{"b":[{"c":-9223372036854775809}]}',
      /line 1: field "b", column 12: the number -9223372036854775809 is beyond 64 bits/,
    ],
    [
      'half of a surrogate pair',
      '{"a":1,"t":"x\\ud800y"}',
      /line 1: field "t", column 12: the text has half of a surrogate pair/,
    ],
    ['half a pair in a key', '{"\\udc00":1}', /column 2: the text has half of a surrogate pair/],
    ['nesting deeper than 1000', `{"a":${'['.repeat(1200)}${']'.repeat(1200)}}`, /nested deeper/],
    ['random bytes', randomBytes(100_000), /./],
  ])('answers 400 to %s', async (_name, body, message) => {
    expectError(await post(body), 400, message);
    expect((await server.client.call('/api/default/bad/schema')).status).toBe(404);
  });

  it.each([
    ['gzip that is none', 'gzip', Buffer.from('{"a":1}'), 400, /not whole and valid gzip/],
    [
      'gzip cut off',
      'gzip',
      gzipSync(randomBytes(50_000).toString('hex')).subarray(0, 20_000),
      400,
      /not whole and valid gzip/,
    ],
    ['br that is none', 'br', Buffer.from('{"a":1}'), 400, /not whole and valid br/],
    ['zstd that is none', 'zstd', Buffer.from('{"a":1}'), 400, /not whole and valid zstd/],
    [
      'zstd cut off',
      'zstd',
      zstd('{"a":1}\n'.repeat(9)).subarray(0, -1),
      400,
      /whole and valid zstd/,
    ],
    [
      'zstd cut off in its second frame',
      'zstd',
      Buffer.concat([zstd('{"a":1}\n'), zstd('{"a":2}\n').subarray(0, 6)]),
      400,
      /not whole and valid zstd/,
    ],
    [
      'a second piece of deflate',
      'deflate',
      Buffer.concat([deflateSync('{"a":1}\n'), deflateSync('{"a":2}\n')]),
      400,
      /not whole and valid deflate/,
    ],
    [
      'something behind gzip',
      'gzip',
      Buffer.concat([gzipSync('{"a":1}\n'), Buffer.from('\0{"a":2}')]),
      400,
      /not whole and valid gzip/,
    ],
    [
      'an encoding nobody knows',
      'rot13',
      Buffer.from('{"a":1}'),
      415,
      /rot13.*gzip, deflate, br, zstd/,
    ],
    [
      'gzip bomb',
      'gzip',
      gzipSync(Buffer.alloc(200 * MIB, '{"a":1}\n')),
      413,
      /at most 83886080 bytes when decoded/,
    ],
    [
      'br bomb',
      'br',
      brotliCompressSync(Buffer.alloc(200 * MIB, '{"a":1}\n')),
      413,
      /when decoded/,
    ],
  ] as const)(
    'answers %s (%s)',
    async (_name, encoding, body, status, message) => {
      expectError(await post(body, { 'content-encoding': encoding }), status, message);
    },
    120_000,
  );

  it('reads no half of a compressed statement', async () => {
    const [first, rest] = [gzipSync('SELECT 1'), Buffer.from('\0 WHERE 1 = 0')];
    const ask = (body: Buffer) =>
      server.client.call('sql', { body, headers: { 'content-encoding': 'gzip' } });
    expect((await ask(first)).json()).toEqual([{ 1: 1 }]);
    expectError(await ask(Buffer.concat([first, rest])), 400, /the body is not gzip/);
  });

  it('has no more of a zstd bomb in memory than it reads at a time', async () => {
    const bomb = zstdBomb('{"a":1}', 33_000);
    const before = mostMemory(server.process.pid ?? 0);
    const answer = await post(bomb, { 'content-encoding': 'zstd' });
    expectError(answer, 413, /record 1 is longer than 16777216 bytes/);
    expect(mostMemory(server.process.pid ?? 0) - before).toBeLessThan(600 * MIB);
  });

  it.each([
    ['_hidden', 400],
    ['a b', 400],
    ['a%2Fb', 400],
    ['x'.repeat(128), 400],
    ['%00', 400],
    ['-.'.repeat(60), 400],
    ['ümlaut', 400],
  ])('refuses stream name %s', async (name, status) => {
    const answer = await post('{"a":1}', {}, encodeURI(name));
    expectError(answer, status, /stream name/);
  });

  it('refuses a record longer than the limit, and an upload longer than the limit', async () => {
    expectError(
      await post(`{"a":"${'x'.repeat(64 * MIB)}"}`),
      413,
      /record 1 is longer than 16777216 bytes/,
    );
    expectError(await post(`{"a":1}\n`.repeat(11 * MIB)), 413, /at most 83886080 bytes/);
  });

  it('takes a field of 10 MiB whole', async () => {
    expect(await server.client.upload('long', [{ a: 'x'.repeat(10 * MIB) }])).toMatchObject({
      successful: 1,
    });
    expect(await server.client.sql('SELECT length(a) AS n FROM long')).toEqual([{ n: 10 * MIB }]);
  });

  it('rejects a record with 10,000 fields alone, and keeps serving its stream', async () => {
    const wide = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`f${index}`, index]),
    );
    const answer = await server.client.upload('wide', [{ f0: 1 }, wide]);
    expect(answer).toMatchObject({ successful: 1, failed: 1 });
    expect(answer.error).toMatch(/record 2: it has more than the 2000 fields/);
    expectError(await post(JSON.stringify(wide)), 400, /more than the 2000 fields/);
    expect(await server.client.upload('wide', [{ f0: 2 }])).toMatchObject({
      successful: 1,
      failed: 0,
    });
  });

  it('gives a stream its 2,000 columns, and no more', async () => {
    const fields = (from: number) =>
      Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`f${from + index}`, index]));
    const status = await server.client.upload('grown', [fields(0), fields(1500), { f0: 7 }]);
    expect(status).toMatchObject({ successful: 2, failed: 1 });
    expect(status.error).toMatch(/field "f\d+": int64 is beyond the 2000 columns/);
  });

  it.each([
    ['objects', `${'{"a":'.repeat(400)}1${'}'.repeat(400)}`],
    ['arrays', `{"a":${'['.repeat(400)}1${']'.repeat(400)}}`],
    ['both', `${'{"a":['.repeat(200)}1${']}'.repeat(200)}`],
  ])(
    'takes or refuses %s nested 400 deep, and says which',
    async (name, body) => {
      const answer = await post(body, {}, `deep-${name}`);
      expect([200, 400]).toContain(answer.status);
      const status = answer.json<{ status?: { successful: number; failed: number }[] }>()
        .status?.[0];
      if (status) expect(status.successful + status.failed).toBe(1);
    },
    120_000,
  );

  it('rejects records with duplicate or impossible fields, each alone', async () => {
    const status = await server.client.upload(
      'odd',
      [
        '{"a":1}',
        '{"a":1,"a":2}',
        '{"":1}',
        '{"b\\u0000":1}',
        '{"_row":1}',
        '{"a":{"b":1}}',
        '{"o":{"x":1}}',
        '{"o":{"x":1,"x":2}}',
        `{"${'k'.repeat(300)}":1}`,
        '{"a":3}',
      ].join('\n'),
    );
    expect(status).toMatchObject({ successful: 3, failed: 7 });
  });

  it('stores nothing of a body that is cut off in the middle', async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const login = Buffer.from('root@example.com:Root-Secret-1').toString('base64');
    socket.write(
      `POST /api/default/cut/_json HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ${login}\r\nContent-Length: 1000000\r\n\r\n${'{"a":1}\n'.repeat(1000)}`,
    );
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.resume().end();
    await new Promise((resolve) => socket.once('close', resolve));
    expect((await server.client.call('/api/default/cut/schema')).status).toBe(404);
  });

  it('answers what is not HTTP in the same shape', async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.write('HELLO\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1.1 400 [^]*"code":400/);
  });

  it.each([
    ['GET', '/nowhere', 404],
    ['GET', '/api/default/tables/nope', 404],
    ['GET', '/api/default/tables/kept?limit=-1', 400],
    ['GET', '/api/default/tables/kept?limit=x', 400],
    ['GET', '/api/default/tables/kept?columns=nn', 400],
    ['GET', '/api/default/tables/kept?colums=n', 400],
    ['GET', '/api/default/streams?limit=-1', 400],
    ['GET', '/api/default/%ZZ/schema', 400],
  ])('answers %s %s with %i, in the error shape', async (method, path, status) => {
    expectError(await server.client.call(path, { method }), status, /./);
  });

  it('asks for credentials everywhere but on the open routes', async () => {
    for (const path of [
      '/api/organizations',
      '/api/default/streams',
      '/api/default/kept/schema',
      '/api/default/tables/kept',
    ]) {
      const answer = await server.client.call(path, { credentials: 'none' });
      expectError(answer, 401, /credentials/);
      expect(answer.headers['www-authenticate']).toBe('Basic realm="millrace"');
    }
    const wrong = { email: 'root@example.com', password: 'Wrong-Secret-1' };
    expectError(
      await server.client.call('/api/default/sql', { body: 'SELECT 1', credentials: wrong }),
      401,
      /credentials/,
    );
    expectError(
      await server.client.call('/api/default/kept/_json', { body: '{"n":2}', credentials: wrong }),
      401,
      /credentials/,
    );
    const stranger = { email: 'nobody@example.com', password: 'Root-Secret-1' };
    expectError(
      await server.client.call('/api/default/streams', { credentials: stranger }),
      401,
      /credentials/,
    );
  });

  it('tells root that an organization does not exist', async () => {
    expectError(
      await server.client.call('/api/elsewhere/streams'),
      404,
      /no organization elsewhere/,
    );
    expectError(await server.client.call('/api/UPPER/streams'), 400, /organization name/);
  });

  it.each([
    ['GET', '/api/default/_search', 'POST'],
    ['PUT', '/api/default/streams?type=logs', 'GET, HEAD'],
    ['PATCH', '/api/default/logs/_json/', 'POST'],
    ['DELETE', '/healthz', 'GET, HEAD'],
  ])('tells a wrong method from a wrong path: %s %s', async (method, path, allowed) => {
    const answer = await server.client.call(path, { method });
    expectError(answer, 405, /no such route/);
    for (const each of allowed.split(', '))
      expect(String(answer.headers.allow).split(', ')).toContain(each);
    expectError(await server.client.call('/nowhere/at/all', { method }), 404, /no such route/);
  });

  it('tells clients of Elasticsearch what to ask instead, and those without an organization where to send', async () => {
    const ask = (path: string, body: string) => server.client.call(path, { body });
    const query = '{"query":{"match_all":{}}}';
    expectError(await ask('/api/default/logs/_search', query), 404, /in SQL: POST .*default\/sql$/);
    const asked = await ask('/api/default/_search', query);
    expect([asked.status, asked.bytes.toString()]).toEqual([400, expect.stringMatching(/want one SELECT, as Elasticsearch's/)]); // prettier-ignore
    expectError(await ask('/v1/logs', '{}'), 404, /mean \/api\/{organization}\/v1\/logs\?$/);
    expectError(await ask('/api/default/logs', '{}'), 405, /to POST \/api\/default\/logs\/_json$/);
  });
});
