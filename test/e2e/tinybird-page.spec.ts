import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const run = promisify(execFile);

/** The blocks of shell lines on the page: what is set, and what is called. */
const blocks = (): readonly string[] =>
  [...readFileSync('docs/tinybird.md', 'utf8').matchAll(/```sh\n(.*?)```/gs)].map(([, text = '']) => text); // prettier-ignore

describe('the page for those who come from Tinybird', () => {
  let server: BorrowedServer;
  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  it('has lines that store two records and count one, by a token', async () => {
    const body = JSON.stringify({ name: 'app', role: 'editor', streams: ['visits'] });
    const { data } = (await server.client.call('tokens', { body })).json<{
      data: { token: string };
    }>();
    const [, calls = ''] = blocks();
    const API = new URL(`/api/${server.organization}`, server.url).href;
    const env = { ...process.env, API, TOKEN: data.token };
    const [upload = '', query = ''] = calls.split('\n\n');
    const stored = await run('bash', ['-c', upload.replace('/_json', '/_json?wait=true')], { env });
    expect(stored.stdout).toBe(
      '{"code":200,"status":[{"name":"visits","successful":2,"failed":0}]}',
    );
    const counted = await run('bash', ['-c', query], { env });
    expect(JSON.parse(counted.stdout)).toMatchObject({
      meta: [{ name: 'n', type: 'UInt64' }],
      data: [{ n: 1 }],
      rows: 1,
      statistics: expect.any(Object) as unknown,
    });
  });
});
