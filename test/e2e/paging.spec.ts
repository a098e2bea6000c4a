import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const ROWS = 3000;
const PAGE = 300;

describe('pages of rows that the sort has as equals', () => {
  let server: BorrowedServer;
  beforeAll(async () => {
    server = await borrowServer();
    for (let from = 0; from < ROWS; from += 500) {
      const rows = Array.from({ length: 500 }, (_, n) => ({ i: from + n, s: (from + n) % 3 }));
      await server.client.upload('logs', rows);
    }
  });
  afterAll(() => server.giveBack());

  const pages = Array.from({ length: ROWS / PAGE }, (_, index) => index);
  const seen = async (read: (page: number) => Promise<{ i: number }[]>): Promise<number[]> => {
    const all: number[] = [];
    for (const page of pages) all.push(...(await read(page)).map(({ i }) => i));
    return all;
  };

  it.each(['s', '-s'])('have each row once, sorted by %s', async (sort) => {
    const all = await seen(async (page) => {
      const query = `columns=i&sort=${sort}&limit=${PAGE}&page=${page + 1}`;
      return (await server.client.call(`tables/logs?${query}`)).json();
    });
    expect(new Set(all).size).toBe(ROWS);
    expect(all).toHaveLength(ROWS);
  });

  it('have each row once in GraphQL', async () => {
    const all = await seen(async (page) => {
      const body = `{ logs(sort: [{ field: "s" }], limit: ${PAGE}, offset: ${page * PAGE}) { i } }`;
      return (await server.client.call('graphql', { body })).json();
    });
    expect(new Set(all).size).toBe(ROWS);
  });
});
