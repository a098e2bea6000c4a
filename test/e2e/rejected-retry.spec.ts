import type { Answer, UploadStatus } from '../server/client.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

/** This integer is beyond what a float holds exactly, and its time is before the retention set below. */
const OLD_INTEGER = '{"_timestamp":"2020-01-01T00:00:00Z","a":9007199254740993}';

interface Rejected {
  readonly upload_id: string;
  readonly line: number;
  readonly reason: string;
  readonly record: string;
}

describe('rejected records tried again', () => {
  let server: BorrowedServer;
  let made = 0;
  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  const retry = (stream: string, query = ''): Promise<Answer> =>
    server.client.call(`${stream}/_rejected/retry?wait=true${query}`, {
      method: 'POST',
    });
  const counts = async (stream: string, query = ''): Promise<UploadStatus> => {
    const answer = await retry(stream, query);
    expect([answer.status, answer.bytes.toString()]).toEqual([200, expect.any(String)]);
    return answer.json<{ status: [UploadStatus] }>().status[0];
  };
  const rejected = async (stream: string): Promise<Rejected[]> =>
    (await server.client.call(`${stream}/_rejected?size=10000`)).json<Rejected[]>();
  /** A stream whose integer column cannot take fractions, as long as it holds what floats cannot. */
  async function stream(): Promise<string> {
    made += 1;
    await server.client.upload(`s${made}`, OLD_INTEGER);
    return `s${made}`;
  }
  /** The old integer goes, and with it the reason. */
  async function mend(name: string): Promise<void> {
    const answer = await server.client.call(`${name}/settings`, {
      body: '{"data_retention":30}',
    });
    expect(answer.status).toBe(200);
    expect(
      await server.client.sql(`SELECT count() AS n FROM ${name} WHERE a > 9007199254740992`),
    ).toEqual([{ n: 0 }]);
  }

  it('stay where they are while nothing has changed, and say why', async () => {
    const name = await stream();
    await server.client.upload(name, '[{"a":0.5},{"a":"text"},7]');
    const before = await rejected(name);
    expect(before.map(({ line }) => line)).toEqual([1, 2, 3]);
    const status = await counts(name);
    expect(status).toEqual({
      name,
      successful: 0,
      failed: 3,
      error: `line 1 of upload ${before[0]?.upload_id}: ${before[0]?.reason}`,
    });
    expect(await rejected(name)).toEqual(before);
    expect(await server.client.count(name)).toBe(1);
  });

  it('move when a change of settings lets them, once, and leave what still does not fit', async () => {
    const name = await stream();
    await server.client.upload(name, '[{"a":0.5,"b":"é\\n\\"q\\""},{"a":"text"},7,{"a":1.5}]');
    await server.client.upload(name, '{"a":2.5}');
    await mend(name);
    const status = await counts(name);
    expect(status).toMatchObject({ successful: 3, failed: 2 });
    expect(status.error).toMatch(/^line 2 of upload \w+: field "a": string does not fit/);
    expect(await server.client.sql(`SELECT a, b FROM ${name} ORDER BY a`)).toEqual([
      { a: 0.5, b: 'é\n"q"' },
      { a: 1.5, b: null },
      { a: 2.5, b: null },
    ]);
    expect((await rejected(name)).map(({ line, record }) => [line, record])).toEqual([
      [2, '{"a":"text"}'],
      [3, '7'],
    ]);
    expect(await counts(name)).toMatchObject({ successful: 0, failed: 2 });
    expect(await server.client.count(name)).toBe(3);
  });

  it('of one upload only, if that is asked for; of another stream never', async () => {
    const [name, other] = [await stream(), await stream()];
    for (const each of [name, other]) {
      await server.client.upload(each, '[{"a":0.5},{"a":1}]');
      await server.client.upload(each, '[{"a":1.5},{"a":"text"}]');
    }
    await mend(name);
    await mend(other);
    const [first] = await rejected(name);
    expect(await counts(name, '&upload_id=unknown')).toMatchObject({ successful: 0, failed: 0 });
    expect(await counts(name, `&upload_id=${first?.upload_id}`)).toMatchObject({
      successful: 1,
      failed: 1,
    });
    expect((await rejected(name)).map(({ record }) => record)).toEqual([
      '{"a":"text"}',
      '{"a":0.5}',
    ]);
    expect(await rejected(other)).toHaveLength(3);
    expect(await counts(name)).toMatchObject({ successful: 1, failed: 1 });
  });

  it('are CSV records as the JSON they became', async () => {
    const name = await stream();
    const answer = await server.client.call(`${name}/_csv?wait=true`, {
      body: 'a,b\n0.25,"x,y"\n7,z\n1,beyond,the header\n',
    });
    expect(answer.json()).toMatchObject({ status: [{ successful: 1, failed: 2 }] });
    await mend(name);
    expect(await counts(name)).toMatchObject({ successful: 1, failed: 1 });
    expect(await server.client.sql(`SELECT a, b FROM ${name} ORDER BY a`)).toEqual([
      { a: 0.25, b: 'x,y' },
      { a: 7, b: 'z' },
    ]);
  });

  it('move once when many ask at the same time, and more than a step’s worth', async () => {
    const name = await stream();
    const lines = Array.from({ length: 20_000 }, (_, n) => `{"a":${n}.5}`);
    await server.client.upload(name, [...lines, '{"a":"text"}'].join('\n'));
    for (let n = 0; n < 5; n += 1) await server.client.upload(name, `{"a":-${n}.5}`);
    expect(await rejected(name)).toHaveLength(10_000);
    await mend(name);
    const all = await Promise.all(Array.from({ length: 6 }, () => counts(name)));
    expect(all.reduce((sum, { successful }) => sum + successful, 0)).toBe(20_005);
    expect(await server.client.sql(`SELECT count() AS c, uniqExact(a) AS d FROM ${name}`)).toEqual([
      { c: 20_005, d: 20_005 },
    ]);
    expect((await rejected(name)).map(({ record }) => record)).toEqual(['{"a":"text"}']);
  });

  it('are gone with their stream', async () => {
    const name = await stream();
    await server.client.upload(name, '[{"a":0.5},{"a":1}]');
    expect((await server.client.call(`${name}`, { method: 'DELETE' })).status).toBe(200);
    expect((await retry(name)).status).toBe(404);
    await server.client.upload(name, '{"a":1}');
    expect(await counts(name)).toMatchObject({ successful: 0, failed: 0 });
  });

  it('are asked for by a stream that is there, in words that are known', async () => {
    expect((await retry('nothing-here')).status).toBe(404);
    expect((await retry('_audit')).status).toBe(404);
    expect((await retry(await stream(), '&uploadid=x')).status).toBe(400);
  });
});
