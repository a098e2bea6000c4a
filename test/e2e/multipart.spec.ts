import { gzipSync } from 'node:zlib';
import type { Answer } from '../server/client.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const BOUNDARY = 'x-boundary-4711';
const part = (disposition: string, content: string): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
const file = (content: string, name = 'file'): string =>
  part(`name="${name}"; filename="data.txt"`, content);
const END = `--${BOUNDARY}--\r\n`;

describe('multipart/form-data', () => {
  let server: BorrowedServer;
  let made = 0;
  const send = (
    body: string | Buffer,
    { format = '_json', headers = {}, stream = `form${(made += 1)}` } = {},
  ): Promise<Answer> =>
    server.client.call(`${stream}/${format}?wait=true`, {
      body,
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, ...headers },
    });

  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  it.each([
    ['_json', '[{"a":1},{"a":2}]'],
    ['_multi', '{"a":1}\n{"a":2}'],
    ['_csv', 'a,b\r\n1,"two\r\nlines"\r\n2,x'],
  ])('brings one file, to %s', async (format, content) => {
    const answer = await send(part('name="note"', 'hello') + file(content) + END, { format });
    expect(answer.json()).toMatchObject({ status: [{ successful: 2, failed: 0 }] });
  });

  it('brings a large file, also compressed', async () => {
    const rows = Array.from({ length: 200_000 }, (_, a) => `{"a":${a},"text":"some text ${a}"}`);
    const form = file(rows.join('\n')) + END;
    const stream = 'large';
    expect((await send(form, { stream })).json()).toMatchObject({
      status: [{ successful: 200_000 }],
    });
    const headers = { 'content-encoding': 'gzip' };
    expect((await send(gzipSync(form), { stream, headers })).status).toBe(200);
    expect(await server.client.sql('SELECT count() AS n, uniqExact(a) AS d FROM large')).toEqual([
      { n: 400_000, d: 200_000 },
    ]);
  });

  it('is the same upload under one Idempotency-Key, whatever the form around it', async () => {
    const headers = { 'idempotency-key': 'form' };
    const stream = 'keyed';
    for (const form of [
      file('[{"a":1}]') + END,
      part('name="x"', 'y') + file('[{"a":1}]', 'other') + END,
    ])
      expect((await send(form, { stream, headers })).status).toBe(200);
    expect(await server.client.count(stream)).toBe(1);
  });

  it.each([
    ['no file', part('name="a"', '[{"a":1}]') + END],
    ['two files', file('[{"a":1}]') + file('[{"a":2}]') + END],
    ['two large files', file(`[{"a":"${'x'.repeat(200_000)}"}]`) + file('[{"a":2}]') + END],
    ['a form that is cut off', file('[{"a":1}]')],
    ['no form', 'hello'],
    ['nothing', ''],
    ['an empty file', file('') + END],
  ])('400, and nothing is stored: %s', async (_, form) => {
    const stream = `none${(made += 1)}`;
    const answer = await send(form, { stream });
    expect([answer.status, answer.json<{ message: string }>().message.length > 10]).toEqual([
      400,
      true,
    ]);
    const count = await server.client.call(`${stream}/schema`);
    if (count.status === 200) expect(count.json()).toMatchObject({ stats: { doc_num: 0 } });
  });

  it('400: thousands of fields, of which few are read', async () => {
    const many = part('name="note"', 'hello').repeat(60_000);
    const answer = await send(many + file('[{"a":1}]') + END, { stream: 'many' });
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({
      message: 'malformed form: there are more than 100 fields and files in it; send one file',
    });
  });

  it('400: a form without a boundary', async () => {
    const headers = { 'content-type': 'multipart/form-data' };
    expect((await send(file('[{"a":1}]') + END, { headers })).status).toBe(400);
  });
});
