// Fills the disk under the built queue and event store and prints what became of them as JSON.
// A process of its own, as the server is: `node full-stores.mjs <directory of 8 MiB>`.
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const dist = new URL('../../dist/libs/', import.meta.url);
const load = (path) => import(new URL(path, dist).href);
const { openEmbeddedIngestQueue } = await load('ingest-queue/embedded/index.js');
const { openEmbeddedEventStore } = await load('event-store/embedded/index.js');
const { endOnUnhandledRejection } = await load('platform/index.js');
endOnUnhandledRejection({ fatal: (details) => console.error(details) });

const [directory] = process.argv.slice(2);
const open = () => openEmbeddedIngestQueue({ directory: join(directory, 'queue'), maxBytes: 1e9 });
let queue = open();
const events = openEmbeddedEventStore({ directory: join(directory, 'events') });
const put = (size) =>
  queue.append([{ key: 'k', headers: {}, payload: { bytes: Buffer.alloc(size) } }]);
const event = (type, data = {}) => ({ id: randomUUID(), type, data, metadata: {} });
const kindOf = (work) =>
  work.then(
    () => 'stored',
    (error) => error.kind ?? String(error),
  );

await put(10);
await events.append('a-1', [event('kept')], 'no-stream');
const ballast = join(directory, 'ballast');
try {
  writeFileSync(ballast, Buffer.alloc(9e6));
} catch (error) {
  if (error.code !== 'ENOSPC') throw error;
}
const queueFull = [];
for (const size of [60_000, 60_000, 40_000]) queueFull.push(await kindOf(put(size)));
const eventsFull = await kindOf(events.append('a-1', [event('lost', 'x'.repeat(100_000))], 0));
rmSync(ballast);
await put(10);
await events.append('a-1', [event('later')], 0);
const eventsAfter = [];
for await (const { type } of events.readAll()) eventsAfter.push(type);
const queueAfter = queue.depth().records;
await queue.close();
queue = open();
const reopened = queue.depth().records;
await queue.close();
await events.close();
console.log(JSON.stringify({ queueFull, eventsFull, queueAfter, eventsAfter, reopened }));
