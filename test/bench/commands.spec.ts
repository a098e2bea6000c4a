import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NotOurs, type EventStore, type RecordedEvent } from '@app/event-store';
import { openServerKey } from '@app/key-store';
import { openEmbeddedEventStore } from '../../libs/event-store/embedded/embedded-event-store.js';
import { openEventStoreDb } from '../../libs/event-store/eventstoredb/event-store-db.js';
import { authenticEvents } from '../../libs/identity/people/installation-events.js';
import { EventStoreDbDouble } from '../doubles/eventstoredb/eventstoredb-double.js';
import { startServer, type Server } from '../server/start-server.js';
import { report } from './report.js';

const SHORT = process.env.BENCH === 'short';
const ALONE = SHORT ? 10 : 300;
const CLIENTS = 16;
const SECONDS = SHORT ? 0.3 : 10;
const EVENTS = SHORT ? 1000 : 20_000;
const APPEND = 500;

const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);
const median = (values: readonly number[]): number => sorted(values)[values.length >> 1] ?? NaN;
const ms = (value: number): string => `${value.toFixed(1)} ms`;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const ANN = {
  email: 'ann@example.com',
  password: 'Secret-77',
  first_name: 'Ann',
  last_name: 'Lee',
  role: 'admin',
};

async function post({ client }: Server, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const { status, bytes } = await client.call(path, { body: JSON.stringify(body), headers });
  if (status !== 200) throw new Error(`${status} ${bytes.toString()}`);
}

/** A passcode rotated: a command of one event. */
async function rotate({ client }: Server, organization: string): Promise<void> {
  const { status, bytes } = await client.call(`/api/${organization}/passcode`, { method: 'PUT' });
  if (status !== 200) throw new Error(`${status} ${bytes.toString()}`);
}

/** @returns milliseconds of each of several commands, one after the other */
async function oneByOne(server: Server, organization: string): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < ALONE; n += 1) times.push(await timed(() => rotate(server, organization)));
  return times;
}

/** @returns how often a second, of so many clients at the same time */
async function together(work: (client: number) => Promise<unknown>): Promise<number> {
  const until = performance.now() + SECONDS * 1000;
  let count = 0;
  const spent = await timed(() =>
    Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        for (; performance.now() < until; count += 1) await work(client);
      }),
    ),
  );
  return count / (spent / 1000);
}

interface Site {
  variables(directory: string): Record<string, string>;
  /** The store itself, while the server is stopped. */
  open(directory: string): EventStore;
  close(): Promise<void>;
}

const embedded: Site = {
  variables: () => ({}),
  open: (directory) => openEmbeddedEventStore({ directory: join(directory, 'events') }),
  close: () => Promise.resolve(),
};

async function eventStoreDb(): Promise<Site> {
  const double = await EventStoreDbDouble.start();
  return {
    variables: () => ({ EVENTSTORE_URL: double.url }),
    open: () => openEventStoreDb({ url: double.url, log: { warn: () => undefined } }),
    close: () => double.stop(),
  };
}

/** Makes the stream in which a passcode was rotated last longer, by copies of that event. */
async function lengthen(store: EventStore): Promise<void> {
  let last: RecordedEvent | undefined;
  for await (const event of store.readAll({ direction: 'backward' }))
    if (event.type === 'PasscodeRotated') {
      last = event;
      break;
    }
  if (!last) throw new Error('no passcode was rotated');
  const { type, data, metadata, stream } = last;
  for (let count = 0; count < EVENTS; count += APPEND)
    await store.append(
      stream,
      Array.from({ length: APPEND }, () => ({ id: randomUUID(), type, data, metadata })),
      'any',
    );
}

/** Counts the appends that the store takes in a second with nothing around it. */
async function bareAppends(store: EventStore): Promise<number> {
  const metadata = {
    $correlationId: 'bench',
    $causationId: 'bench',
    actor: 'system',
    schemaVersion: 1,
    occurredAt: new Date(0).toISOString(),
  };
  const data = { passcode: 'x'.repeat(120) };
  return together((client) =>
    store.append(
      `emailbench-${client}`,
      [{ id: randomUUID(), type: 'BenchReserved', data, metadata }],
      'any',
    ),
  );
}

describe.each([
  ['the embedded store', () => Promise.resolve(embedded)],
  ['EventStoreDB (double)', eventStoreDb],
])('commands on %s', (name, make) => {
  it('tells how long one takes, and how many there are a second', async () => {
    const site = await make();
    const dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-commands-'));
    const start = (): Promise<Server> =>
      startServer({ dataDirectory, variables: site.variables(dataDirectory) });
    let server = await start();
    const organizations = Array.from({ length: CLIENTS }, (_, n) => `org${n}`);
    await post(server, '/api/default/users', ANN);
    for (const each of organizations)
      await post(server, `/api/${each}/users/${ANN.email}`, { role: 'admin' });
    for (const each of organizations) await rotate(server, each);
    const first = await oneByOne(server, 'default');
    const many = await together((client) => rotate(server, organizations[client] ?? ''));
    const same = await together(() => rotate(server, 'org0'));
    await rotate(server, 'default');
    await server.stop();

    const store = site.open(dataDirectory);
    const bare = await bareAppends(store);
    const serverKey = openServerKey(dataDirectory, undefined, false);
    const met = new NotOurs({ error: () => undefined });
    await lengthen(authenticEvents(store, serverKey, 0n, met));
    await store.close();
    const started = await timed(async () => (server = await start()));
    const folding = await timed(() => rotate(server, 'default'));
    const later = await oneByOne(server, 'default');
    const audit = await server.client.call('/api/default/audit?size=1');
    expect(audit.json<{ total: number }>().total).toBeGreaterThanOrEqual(EVENTS + 2 * ALONE);
    await server.stop();
    await site.close();
    rmSync(dataDirectory, { recursive: true, force: true });

    const perSecond = (rate: number): string => `${Math.round(rate).toLocaleString('en')}/s`;
    report(`Commands on ${name}`, [
      ['one after the other, median', ms(median(first))],
      [`${CLIENTS} organizations, one client each`, perSecond(many)],
      [`${CLIENTS} clients at one aggregate`, perSecond(same)],
      [`the store's own appends, ${CLIENTS} clients`, perSecond(bare)],
      [`start after ${EVENTS.toLocaleString('en')} more events`, ms(started)],
      ['the first command then, which reads them', ms(folding)],
      ['one after the other then, median', ms(median(later))],
      ['of the first', (median(later) / median(first)).toFixed(2)],
    ]);
  }, 600_000);
});
