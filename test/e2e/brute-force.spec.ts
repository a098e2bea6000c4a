import { readFileSync } from 'node:fs';
import type { Answer } from '../server/client.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';

const PASSWORD = 'Secret-77';

/** Processor time that a process has used, in hundredths of a second. Linux only. */
function processorTicks(pid: number | undefined): number {
  const [, fields = ''] = readFileSync(`/proc/${String(pid)}/stat`, 'utf8').split(') ');
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number);
  return user + system;
}

describe('guessing passwords', () => {
  let server: Server;
  const person = (name: string) => ({ email: `${name}@example.com`, password: PASSWORD });
  const ask = (
    credentials: { email: string; password: string },
    address: string,
  ): Promise<Answer> =>
    server.client.call('/api/default/streams', {
      credentials,
      headers: { 'x-forwarded-for': address },
    });
  const guess = (name: string, n: number, address: string): Promise<Answer> =>
    ask({ email: `${name}@example.com`, password: `Guess-Number-${n}` }, address);
  const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status);

  beforeAll(async () => {
    server = await startServer({ variables: { MILLRACE_TRUSTED_PROXIES: '127.0.0.1' } });
    for (const name of ['ann', 'ben', 'cleo', 'dora', 'eva', 'frida', 'gustav']) {
      const body = JSON.stringify({
        ...person(name),
        first_name: 'X',
        last_name: 'Y',
        role: 'viewer',
      });
      const headers = { 'content-type': 'application/json' };
      expect((await server.client.call('/api/default/users', { body, headers })).status).toBe(200);
    }
  });
  afterAll(() => server.stop());

  it('ends after 10 failures for an account, from wherever, also with the right password', async () => {
    const answers: Answer[] = [];
    for (let n = 0; n < 14; n += 1) answers.push(await guess('ann', n, `10.2.0.${n}`));
    expect(statuses(answers)).toEqual([
      ...Array<number>(10).fill(401),
      ...Array<number>(4).fill(429),
    ]);
    const refused = await ask(person('ann'), '10.2.0.99');
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers['retry-after']);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(refused.json()).toMatchObject({ code: 429 });
    // nobody else is hurt, not at the same addresses either
    expect((await ask(person('ben'), '10.2.0.0')).status).toBe(200);
    expect((await ask(ROOT, '10.2.0.1')).status).toBe(200);
  });

  it('lets nothing slip through when the guesses come at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => guess('cleo', n, `10.3.0.${n}`)),
    );
    expect(answers.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(10);
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(50);
  });

  it('ends for an address that tries many accounts; people behind it still get in', async () => {
    const address = '10.4.0.1';
    // who was here a moment ago is not asked again
    expect((await ask(person('ben'), address)).status).toBe(200);
    const answers: Answer[] = [];
    for (let n = 0; n < 20; n += 1) answers.push(await guess(`somebody${n}`, n, address));
    expect(statuses(answers.slice(0, 10))).toEqual(Array<number>(10).fill(401));
    expect(new Set(statuses(answers.slice(10)))).toEqual(new Set([429]));
    expect(answers.at(-1)?.headers['retry-after']).toMatch(/^\d+$/);
    expect((await ask(person('ben'), address)).status).toBe(200);
    expect((await guess('eva', 1, '10.4.0.2')).status).toBe(401);
    expect((await ask(person('eva'), '10.4.0.2')).status).toBe(200);
  });

  it('is answered alike for accounts there are and accounts there are not', async () => {
    const there = await guess('dora', 1, '10.5.0.1');
    const not = await guess('nobody-of-that-name', 1, '10.5.0.2');
    expect([there.status, there.bytes.toString()]).toEqual([not.status, not.bytes.toString()]);
    const names = ({ headers }: Answer): string[] => Object.keys(headers).sort();
    expect(names(there)).toEqual(names(not));
  });

  it('costs the same for accounts there are and accounts there are not, and ends as soon', async () => {
    const rounds = 9;
    /** Processor time of the server for so many wrong guesses, each from an address of its own. */
    const cost = async (name: string, net: string): Promise<number> => {
      const before = processorTicks(server.process.pid);
      for (let n = 0; n < rounds; n += 1)
        expect((await guess(name, n, `${net}.${n}`)).status).toBe(401);
      return processorTicks(server.process.pid) - before;
    };
    const there = (await cost('frida', '10.6.0')) + (await cost('gustav', '10.6.1'));
    const not = (await cost('not-there', '10.7.0')) + (await cost('nor-there', '10.7.1'));
    expect(there / not).toBeGreaterThan(0.5);
    expect(there / not).toBeLessThan(2);
    for (const name of ['frida', 'not-there']) {
      expect((await guess(name, rounds, '10.8.0.1')).status).toBe(401);
      const refused = await guess(name, rounds + 1, '10.8.0.2');
      expect([name, refused.status, refused.headers['retry-after'] !== undefined]).toEqual([
        name,
        429,
        true,
      ]);
    }
  });

  it('stands in the audit trail, without what was tried', async () => {
    const answer = await server.client.call('/api/default/audit?type=LoginFailed&size=1000');
    const { hits } = answer.json<{
      hits: { subject: string; address: string; outcome: string }[];
    }>();
    const ofAnn = hits.filter(({ subject }) => subject === 'ann@example.com');
    expect(ofAnn).toHaveLength(10);
    expect(ofAnn[0]).toMatchObject({ outcome: 'failed', address: '10.2.0.9' });
    expect(answer.bytes.toString()).not.toMatch(/Guess-Number|nobody-of-that-name/);
  });
});
