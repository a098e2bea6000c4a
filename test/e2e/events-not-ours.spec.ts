import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { environment } from '../../bin/prepare.mjs';
import { openEmbeddedEventStore } from '../../libs/event-store/embedded/embedded-event-store.js';
import { EventStoreDbDouble } from '../doubles/eventstoredb/eventstoredb-double.js';
import type { Answer, Call } from '../server/client.js';
import { startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

const ANN = { email: 'ann@example.com', password: 'Secret-77' };
const BEN = { email: 'ben@example.com', password: 'Secret-77' };
const NAMED = /"msg":"a stored event was not written by this installation/g;
const START = { MILLRACE_LOG_LEVEL: 'error' };

async function ask({ client }: Server, path: string, call: Call = {}): Promise<Answer> {
  const answer = await client.call(path, call);
  expect([path, answer.status, answer.bytes.toString()]).toEqual([path, 200, expect.any(String)]);
  return answer;
}

/** Ben was an admin of acme, and was removed. */
async function furnish(server: Server): Promise<void> {
  const role = (name: string): Call => ({ body: JSON.stringify({ role: name }) });
  const profile = { first_name: 'B', last_name: 'N', role: 'member' };
  for (const person of [ANN, BEN])
    await ask(server, '/api/default/users', { body: JSON.stringify({ ...person, ...profile }) });
  await ask(server, `/api/acme/users/${ANN.email}`, role('admin'));
  await ask(server, `/api/acme/users/${BEN.email}`, role('viewer'));
  await ask(server, `/api/acme/users/${BEN.email}`, { ...role('admin'), method: 'PUT' });
  expect(await benIsIn(server)).toBe(true);
  await ask(server, `/api/acme/users/${BEN.email}`, { method: 'DELETE' });
}

const benIsIn = async ({ client }: Server): Promise<boolean> =>
  (await client.call('/api/acme/streams', { credentials: BEN })).status === 200;

async function metric({ client }: Server): Promise<number> {
  const all = (await client.call('/metrics')).bytes.toString();
  return Number(/^millrace_events_not_ours (\S+)$/m.exec(all)?.[1] ?? NaN);
}

interface Hit {
  readonly type: string;
  readonly outcome: string;
  readonly actor: string;
  readonly stream: string;
}

const auditOf = async (server: Server): Promise<readonly Hit[]> => {
  const query = `outcome=${encodeURIComponent('not ours')}`;
  return (await ask(server, `/api/acme/audit?${query}`)).json<{ hits: Hit[] }>().hits;
};

describe.each(['embedded', 'EventStoreDB (double)'])('an event that is not ours, %s', (kind) => {
  let double: EventStoreDbDouble | undefined;
  let dataDirectory: string;
  let server: Server | undefined;

  beforeAll(async () => {
    double = kind === 'embedded' ? undefined : await EventStoreDbDouble.start();
    dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-'));
  });
  afterAll(async () => {
    await server?.stop();
    await double?.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  const variables = () => ({ ...START, ...(double ? { EVENTSTORE_URL: double.url } : {}) });
  const start = async (): Promise<Server> =>
    (server = await startServer({ dataDirectory, variables: variables() }));

  /** Another login of the store copies the event by which Ben became an admin. @returns its place */
  async function copy(): Promise<string> {
    if (double) {
      const { log } = double;
      for (let index = log.size - 1; index >= 0; index -= 1) {
        const record = log.record(index);
        if (record?.type !== 'UserRoleChanged') continue;
        log.append(record.stream, [{ ...record, id: randomUUID() }], -2);
        return `event ${(log.stream(record.stream)?.length ?? 0) - 1} of ${record.stream.slice('millrace.'.length)}`;
      }
      throw new Error('no UserRoleChanged');
    }
    await server?.stop();
    server = undefined;
    const store = openEmbeddedEventStore({ directory: join(dataDirectory, 'events') });
    try {
      for await (const event of store.readAll({ direction: 'backward' })) {
        const { stream, type, data, metadata } = event;
        if (type !== 'UserRoleChanged') continue;
        const { revision } = await store.append(stream, [{ id: randomUUID(), type, data, metadata }], 'any'); // prettier-ignore
        return `event ${revision} of ${stream}`;
      }
      throw new Error('no UserRoleChanged');
    } finally {
      await store.close();
    }
  }

  async function verify(): Promise<{ code: number | null; stdout: string }> {
    const program = join(import.meta.dirname, '../../dist/apps/api/audit-verify.js');
    const child = spawn(process.execPath, [program], {
      env: { ...environment(), MILLRACE_DATA_DIR: dataDirectory, ...variables(), MILLRACE_LOG_LEVEL: 'fatal' }, // prettier-ignore
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [stdout, [code]] = await Promise.all([
      text(child.stdout),
      once(child, 'exit') as Promise<[number | null]>,
    ]);
    return { code, stdout };
  }

  it('changes nothing, is named, and is shown to the organization', async () => {
    await furnish(await start());
    expect(await metric(server as unknown as Server)).toBe(0);
    const place = await copy();
    const first = server ?? (await start());
    await until(async () => (await metric(first)) === 1);
    expect(await benIsIn(first)).toBe(false);
    await ask(first, '/api/acme/passcode', { method: 'PUT' });
    expect(await auditOf(first)).toMatchObject([
      { type: 'UserRoleChanged', outcome: 'not ours', actor: '', stream: place.split(' ').at(-1) },
    ]);
    const verdict = await ask(first, '/api/acme/audit/verify', { method: 'POST' });
    expect(verdict.json()).toMatchObject({ data: { intact: true } });
    expect(first.output().match(NAMED)).toHaveLength(1);
    expect(await first.stop()).toBe(0);
    const again = await start();
    expect(await benIsIn(again)).toBe(false);
    await ask(again, '/api/acme/passcode', { method: 'PUT' });
    expect(await again.stop()).toBe(0);
    server = undefined;
    const { code, stdout } = await verify();
    expect([code, stdout.match(/ intact/g)?.length]).toEqual([1, 2]);
    const lines = stdout.split('\n').filter((line) => line.startsWith('not ours'));
    expect(lines).toEqual([expect.stringContaining(`${place}, UserRoleChanged: its MAC does not`)]);
  }, 120_000);
});
