import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const TABLE = 'tables/shop';

describe('validators of table reads', () => {
  let server: BorrowedServer;
  const read = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await server.client.call(path, { headers });
    return { status: answer.status, tag: answer.headers.etag, text: answer.bytes.toString() };
  };
  const upload = (records: readonly object[]) =>
    server.client.upload('shop', JSON.stringify(records));

  beforeAll(async () => {
    server = await borrowServer();
    await upload([{ a: 1 }]);
  });
  afterAll(() => server.giveBack());

  it('say that nothing has changed, without a body', async () => {
    const { tag = '' } = await read(TABLE);
    expect(tag).toMatch(/^W\/"[\w-]{32}"$/);
    expect(await read(TABLE, { 'If-None-Match': `"other", ${tag}` })).toEqual({
      status: 304,
      tag,
      text: '',
    });
  });

  it('change with rows, columns, question and form, and with the stream', async () => {
    const tags = new Set<string | undefined>();
    const other = async (path: string, headers = {}): Promise<void> => {
      const { status, tag } = await read(path, headers);
      expect(status).toBe(200);
      expect(tags.has(tag)).toBe(false);
      tags.add(tag);
    };
    await other(TABLE);
    await other(`${TABLE}?limit=1`);
    await other(TABLE, { accept: 'text/csv' });
    await upload([{ a: 2 }]);
    await other(TABLE);
    const declared = await server.client.call('streams/shop/settings', {
      method: 'PUT',
      body: JSON.stringify({ columns: { later: 'Utf8' } }),
      headers: { 'content-type': 'application/json' },
    });
    expect(declared.status).toBe(200);
    await other(TABLE);
    await server.client.call('shop', { method: 'DELETE' });
    await upload([{ a: 1 }]);
    await other(TABLE);
  });

  it('stand on no failure', async () => {
    const { status, tag } = await read(`${TABLE}?columns=nothing`);
    expect({ status, tag }).toEqual({ status: 400, tag: undefined });
  });

  it('say nothing to those who may not read', async () => {
    const { tag = '' } = await read(TABLE);
    const answer = await server.client.call(TABLE, {
      headers: { 'If-None-Match': tag },
      credentials: 'none',
    });
    expect(answer.status).toBe(401);
  });
});
