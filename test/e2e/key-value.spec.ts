import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

describe('keys and values', () => {
  let server: BorrowedServer;
  beforeAll(async () => {
    server = await borrowServer();
    await server.client.upload('colours', [
      { key: 'sky', value: 'grey' },
      { key: 'sky/night', value: 'a\tb\n"é"' },
      { key: 'empty', value: '' },
      { key: 'none', value: null },
      { _timestamp: 1_000_000_000, key: 'old', value: 'old' },
    ]);
    await server.client.upload('colours', [{ key: 'sky', value: 'blue' }]);
    await server.client.upload('numbers', [{ key: 7, value: 9007199254740991 }]);
    await server.client.upload('shop', [{ item: 'tea' }]);
  });
  afterAll(() => server.giveBack());

  it.each([
    ['colours/sky', 'blue'],
    ['colours/sky%2Fnight', 'a\tb\n"é"'],
    ['colours/empty', ''],
    ['colours/old', 'old'],
    ['numbers/7', '9007199254740991'],
  ])('%s is %j, as plain text', async (path, value) => {
    const { status, headers, bytes } = await server.client.call(`kv/${path}`);
    expect([status, headers['content-type'], bytes.toString()]).toEqual([
      200,
      'text/plain; charset=utf-8',
      value,
    ]);
  });

  it.each([
    ['colours/sea', 404, /colours has no value for the key "sea"/],
    ['colours/none', 404, /no value/],
    [`colours/${encodeURIComponent("' OR 1=1 --")}`, 404, /no value/],
    ['colour/sky', 404, /did you mean "colours"/],
    ['shop/tea', 400, /no column "key"/],
  ])('%s is %i', async (path, status, message) => {
    const answer = await server.client.call(`kv/${path}`);
    expect([answer.status, answer.json<{ message: string }>().message]).toEqual([
      status,
      expect.stringMatching(message),
    ]);
  });
});
