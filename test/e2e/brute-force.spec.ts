import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rounds } from '../rounds.js';
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

  const variables = { MILLRACE_TRUSTED_PROXIES: '127.0.0.1' };
  let dataDirectory: string;

  beforeAll(async () => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-guessing-'));
    server = await startServer({ dataDirectory, variables });
    for (const name of ['ann', 'ben', 'cleo', 'dora', 'eva', 'frida', 'gustav', 'hanna', 'ida']) {
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
  afterAll(async () => {
    await server.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  it('ends after 10 failures for an account from an address, and keeps nobody else out', async () => {
    const answers: Answer[] = [];
    for (let n = 0; n < 14; n += 1) answers.push(await guess('ann', n, '10.2.0.1'));
    expect(statuses(answers)).toEqual([
      ...Array<number>(10).fill(401),
      ...Array<number>(4).fill(429),
    ]);
    const refused = await ask(person('ann'), '10.2.0.1');
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers['retry-after']);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(refused.json()).toMatchObject({ code: 429 });
    // The owner comes from another address. A neighbour at the first address is a stranger to the
    // account.
    expect((await ask(person('ann'), '10.2.0.99')).status).toBe(200);
    for (let n = 0; n < 14; n += 1) await guess('root', n, '10.2.0.3');
    expect((await ask(ROOT, '10.2.0.4')).status).toBe(200);
  });

  it('takes an IPv6 /64 for one address', async () => {
    const answers: Answer[] = [];
    for (let n = 0; n < 12; n += 1) answers.push(await guess('ann', n, `2001:db8:7:7::${n}`));
    expect(statuses(answers).slice(10)).toEqual([429, 429]);
    expect((await ask(person('ann'), '2001:db8:7:8::1')).status).toBe(200);
  });

  it('does not keep the owner out who shares the address, also after a restart', async () => {
    const address = '10.2.1.1';
    expect((await ask(person('ann'), address)).status).toBe(200);
    for (let n = 0; n < 40; n += 1) await guess('ann', n, address);
    expect((await ask(person('ann'), address)).status).toBe(200);
    await server.stop();
    server = await startServer({ dataDirectory, variables });
    const answers: Answer[] = [];
    for (let n = 0; n < 14; n += 1) answers.push(await guess('ann', n, address));
    expect(statuses(answers).slice(10)).toEqual([429, 429, 429, 429]);
    expect((await ask(person('ann'), address)).status).toBe(200);
  });

  it('does not find out by a remembered password what the password is', async () => {
    expect((await ask(person('ben'), '10.2.2.1')).status).toBe(200);
    for (let n = 0; n < 14; n += 1) await guess('ben', n, '10.2.2.2');
    // The guess would be correct, and ben logged in with this password a moment ago.
    expect((await ask(person('ben'), '10.2.2.2')).status).toBe(429);
  });

  it('is slow from many addresses of a network, also when the guesses come at once', async () => {
    expect((await ask(person('cleo'), '10.20.0.1')).status).toBe(200);
    const began = performance.now();
    const guesses = Promise.all(
      Array.from({ length: 100 }, (_, n) => guess('cleo', n, `10.3.0.${n}`)),
    );
    expect((await ask(person('cleo'), '10.20.0.1')).status).toBe(200);
    expect((await ask(person('cleo'), '10.21.0.1')).status).toBe(200);
    const answers = await guesses;
    const seconds = (performance.now() - began) / 1000;
    // Thirty of a network that hardly failed, thirty that did, and one a second.
    expect(answers.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(
      30 + 30 + 4 + seconds,
    );
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(20);
  });

  it('ends for an address that tries many accounts; people behind it still get in', async () => {
    const address = '10.4.0.1';
    expect((await ask(person('ben'), address)).status).toBe(200);
    const answers: Answer[] = [];
    for (let n = 0; n < 10; n += 1) answers.push(await guess(`somebody${n}`, n, address));
    // They are sent at once: one a second is checked, and a busy machine has many seconds.
    const more = Array.from({ length: 10 }, (_, n) => guess(`another${n}`, n, address));
    answers.push(...(await Promise.all(more)));
    expect(statuses(answers.slice(0, 10))).toEqual(Array<number>(10).fill(401));
    expect(statuses(answers.slice(10)).filter((status) => status === 429).length).toBeGreaterThan(
      5,
    );
    expect((await ask(person('ben'), address)).status).toBe(200);
    expect((await guess('eva', 1, '10.4.0.2')).status).toBe(401);
    expect((await ask(person('eva'), '10.4.0.2')).status).toBe(200);
  });

  it('from 260 addresses makes nobody else wait', async () => {
    const guesses: Promise<Answer>[] = [];
    for (let round = 0; round < rounds(2, 5); round += 1)
      for (let n = 0; n < 260; n += 1)
        guesses.push(guess(`hanna${round}`, n, `10.${30 + (n % 4)}.${n >> 2}.1`));
    // From here on the server has the requests.
    await Promise.race(guesses);
    const began = performance.now();
    // A person who was never here logs in while all those wait.
    expect((await ask(person('hanna'), '10.40.0.1')).status).toBe(200);
    const waited = performance.now() - began;
    await Promise.all(guesses);
    // If each waited for the one before, it would take all the time, because the guesses came
    // first.
    expect(waited).toBeLessThan((performance.now() - began) / 2);
  }, 120_000);

  it('by the old password of a change is paced as logins are', async () => {
    const change = (old_password: string): Promise<Answer> =>
      server.client.call('/api/default/users/ida@example.com', {
        method: 'PUT',
        credentials: person('ida'),
        body: JSON.stringify({ old_password, new_password: 'Other-777' }),
        headers: { 'content-type': 'application/json', 'x-forwarded-for': '10.50.0.1' },
      });
    expect((await ask(person('ida'), '10.50.0.1')).status).toBe(200);
    const answers: Answer[] = [];
    for (let n = 0; n < 14; n += 1) answers.push(await change(`Guess-Number-${n}`));
    expect(statuses(answers)).toEqual([
      ...Array<number>(10).fill(400),
      ...Array<number>(4).fill(429),
    ]);
    expect((await change(PASSWORD)).status).toBe(200);
  });

  it('is answered alike for accounts there are and accounts there are not', async () => {
    const there = await guess('dora', 1, '10.5.0.1');
    const not = await guess('nobody-of-that-name', 1, '10.5.0.2');
    expect([there.status, there.bytes.toString()]).toEqual([not.status, not.bytes.toString()]);
    const names = ({ headers }: Answer): string[] => Object.keys(headers).sort();
    expect(names(there)).toEqual(names(not));
  });

  it('costs the same for accounts there are and accounts there are not, and ends as soon', async () => {
    const times = 9;
    /** Processor time of the server for so many wrong guesses, each from an address of its own. */
    const cost = async (name: string, net: string): Promise<number> => {
      const before = processorTicks(server.process.pid);
      for (let n = 0; n < times; n += 1)
        expect((await guess(name, n, `${net}.${n}`)).status).toBe(401);
      return processorTicks(server.process.pid) - before;
    };
    // They take turns, and the least of each counts, because the server does other things too.
    const frida = await cost('frida', '10.6.0');
    const notThere = await cost('not-there', '10.7.0');
    const there = Math.min(frida, await cost('gustav', '10.6.1'));
    const not = Math.min(notThere, await cost('nor-there', '10.7.1'));
    expect(there / not).toBeGreaterThan(0.5);
    expect(there / not).toBeLessThan(2);
    for (const [name, address] of [
      ['frida', '10.8.0.1'],
      ['not-there', '10.9.0.1'],
    ] as const) {
      const answers: Answer[] = [];
      for (let n = 0; n < 11; n += 1) answers.push(await guess(name, n, address));
      expect([name, statuses(answers).slice(9)]).toEqual([name, [401, 429]]);
    }
  });

  it('stands in the audit trail, without what was tried, and does not fill the event store', async () => {
    const events = (): number => statSync(join(dataDirectory, 'events', 'data.mdb')).blocks * 512;
    const headers = { 'user-agent': 'x'.repeat(12_000), 'x-forwarded-for': '10.60.0.1' };
    const credentials = { email: 'dora@example.com', password: 'Guess-Number-1' };
    await server.client.call('/api/default/streams', { credentials, headers });
    const before = events();
    const batches = rounds(4, 8);
    for (let batch = 0; batch < batches; batch += 1)
      await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          server.client.call('/api/default/streams', {
            credentials: { email: `guess${n}@example.com`, password: 'Guess-Number-1' },
            headers: { ...headers, 'x-forwarded-for': `10.61.${batch}.${n}` },
          }),
        ),
      );
    await server.stop();
    // With everything that the clients send about themselves, it would be five times as much.
    expect(events() - before).toBeLessThan(batches * 128 * 1024);
    server = await startServer({ dataDirectory, variables });
    const answer = await server.client.call('/api/default/audit?size=1000');
    const { hits } = answer.json<{
      hits: {
        type: string;
        subject: string;
        address: string;
        outcome: string;
        user_agent: string;
        data: { failed: number; refused?: number };
      }[];
    }>();
    const there = hits.filter(
      ({ subject, address }) => subject === 'ann@example.com' && address === '10.2.0.1',
    );
    expect(there[0]).toMatchObject({ type: 'LoginFailed', outcome: 'failed' });
    const total = (of: readonly (typeof hits)[number][]): number =>
      of.reduce((all, { data: { failed, refused = 0 } }) => all + failed + refused, 0);
    // The 14 guesses, and the correct one that was not checked.
    expect(total(there)).toBe(15);
    expect(Math.max(...hits.map(({ user_agent: { length } }) => length))).toBe(256);
    // There is one event for each minute that it took.
    const rest = hits.filter(({ type }) => type === 'LoginsFailed');
    expect(total(rest)).toBeGreaterThan(200);
    expect(rest[0]?.address).toMatch(/^10\.\d+\.\d+\.\d+ \(\d+\), /);
    expect(answer.bytes.toString()).not.toMatch(/Guess-Number|nobody-of-that-name/);
  }, 120_000);
});
