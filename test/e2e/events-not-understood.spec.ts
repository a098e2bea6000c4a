import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { NotOurs } from '@app/event-store';
import { openServerKey } from '@app/key-store';
import { environment } from '../../bin/prepare.mjs';
import { openEmbeddedEventStore } from '../../libs/event-store/embedded/embedded-event-store.js';
import { authenticEvents } from '../../libs/identity/people/installation-events.js';
import { newEvent } from '../contract/event-store.contract.js';
import type { Answer } from '../server/client.js';
import { startServer, type Server } from '../server/start-server.js';

/** The events belong to these: `organization-<id>`, `stream-<id>`. */
interface Places {
  readonly organization: string;
  readonly stream: string;
}

const ANN = { email: 'ann@example.com', password: 'Secret-77' };
const BEN = { email: 'ben@example.com', password: 'Secret-77' };
const NAMED = /"msg":"a stored event is not understood/g;
const variables = { MILLRACE_LOG_LEVEL: 'error' };

/** Two organizations with a stream each. */
async function furnish({ client }: Server): Promise<void> {
  const call = async (path: string, body: object, credentials?: typeof ANN): Promise<void> => {
    const options = credentials ? { credentials } : {};
    const answer = await client.call(path, { body: JSON.stringify(body), ...options });
    expect([path, answer.status]).toEqual([path, 200]);
  };
  for (const person of [ANN, BEN])
    await call('/api/default/users', { ...person, first_name: 'F', last_name: 'L', role: 'admin' });
  for (const name of ['acme', 'other']) {
    await call(`/api/${name}/users/${BEN.email}`, { role: 'viewer' }, ANN);
    const sent = await client.call(`/api/${name}/logs/_json?wait=true`, { body: '[{"a":1}]' });
    expect(sent.status).toBe(200);
  }
}

const rotate = ({ client }: Server, organization: string): Promise<Answer> =>
  client.call(`/api/${organization}/passcode`, { method: 'PUT' });

const sent = ({ client }: Server, path: string, record: object): Promise<Answer> =>
  client.call(`/api/${path}/_json?wait=true`, { body: JSON.stringify([record]) });

async function count({ client }: Server, organization: string): Promise<number> {
  const body = 'SELECT count() AS n FROM logs';
  const [row] = (await client.call(`/api/${organization}/sql`, { body })).json<[{ n: number }]>();
  return row.n;
}

async function metric({ client }: Server): Promise<number> {
  const all = (await client.call('/metrics')).bytes.toString();
  return Number(/^millrace_events_not_understood (\S+)$/m.exec(all)?.[1] ?? NaN);
}

function expectRefused(answer: Answer): void {
  expect([answer.status, answer.headers['retry-after'], answer.json()]).toEqual([
    503,
    '60',
    {
      code: 503,
      message: expect.stringContaining('does not understand') as string,
      error_detail: expect.stringMatching(/^event \d+, \w+: ./) as string,
    },
  ]);
}

describe('an event that is not understood, in the embedded store', () => {
  let dataDirectory: string;
  let server: Server | undefined;

  beforeAll(() => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-'));
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  const start = async (): Promise<Server> =>
    (server = await startServer({ dataDirectory, variables }));

  async function stored(): Promise<Places> {
    const serverKey = openServerKey(dataDirectory, undefined, false);
    const store = authenticEvents(
      openEmbeddedEventStore({ directory: join(dataDirectory, 'events') }),
      serverKey,
      0n,
      new NotOurs({ error: () => undefined }),
    );
    try {
      let [organization, stream, id] = ['', '', ''];
      for await (const event of store.readAll()) {
        const data = event.data as { id: string; name?: string; organizationId?: string };
        if (event.type === 'OrganizationCreated' && data.name === 'acme')
          [organization, id] = [event.stream, data.id];
        if (event.type === 'StreamCreated' && data.organizationId === id) stream = event.stream;
      }
      // A later release may leave these events when it is given up again.
      const later = newEvent('StreamSettingsChanged', { settings: { days: 1 } });
      const settings = { ...later, metadata: { ...later.metadata, schemaVersion: 2 } };
      await store.append(organization, [newEvent('OrganizationPraised', { by: 'A' })], 'any');
      await store.append(stream, [settings], 'any');
      return { organization, stream };
    } finally {
      await store.close();
    }
  }

  async function verify(): Promise<{ code: number | null; stdout: string }> {
    const program = join(import.meta.dirname, '../../dist/apps/api/audit-verify.js');
    const child = spawn(process.execPath, [program], {
      env: { ...environment(), MILLRACE_DATA_DIR: dataDirectory, MILLRACE_LOG_LEVEL: 'fatal' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [stdout, [code]] = await Promise.all([
      text(child.stdout),
      once(child, 'exit') as Promise<[number | null]>,
    ]);
    return { code, stdout };
  }

  it('is refused by name, at each start, and everything else goes on', async () => {
    await furnish(await start());
    await server?.stop();
    const { organization, stream } = await stored();
    for (const round of [1, 2]) {
      const running = await start();
      expectRefused(await rotate(running, 'acme'));
      expect((await rotate(running, 'other')).status).toBe(200);
      // Its queries go on, and its uploads where they need no command.
      expect((await sent(running, 'acme/logs', { a: 2 })).status).toBe(200);
      expect(await count(running, 'acme')).toBe(1 + round);
      expectRefused(await sent(running, 'acme/logs', { [`new${round}`]: 2 }));
      expect((await sent(running, `acme/more${round}`, { a: 2 })).status).toBe(200);
      expect((await sent(running, 'other/logs', { [`new${round}`]: 2 })).status).toBe(200);
      expect(await metric(running)).toBe(2);
      expect(running.output().match(NAMED)).toHaveLength(2);
      expect(running.output()).not.toContain('TypeError');
      expect(await running.stop()).toBe(0);
    }
    server = undefined;
    const { code, stdout } = await verify();
    expect([code, stdout.match(/intact/g)?.length]).toEqual([1, 3]);
    expect(stdout.split('\n').filter((line) => line.startsWith('not understood'))).toEqual([
      expect.stringMatching(`event \\d+ of ${organization}, OrganizationPraised: .+`),
      expect.stringMatching(`event \\d+ of ${stream}, StreamSettingsChanged: version 2 .+`),
    ]);
  }, 120_000);
});
