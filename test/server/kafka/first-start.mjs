// All brokers share some files: storage as Kafka's tool formats it, and Kafka's classes as Java has
// them in memory. One broker is started and ended to make them. Loading thousands of classes from
// jars is most of what a start costs, and the tool would be another such start. `node
// test/server/kafka/first-start.mjs` makes them, and fetches Kafka before.
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../free-port.mjs';
import { format, KEPT, properties, startBroker } from './broker.mjs';
import { fetchKafka } from './fetch.mjs';

/** Storage that no broker has used, which is copied. */
export const FORMATTED = join(KEPT, 'formatted');

/** Makes what is missing. */
export async function makeFirstStart() {
  fetchKafka();
  if (existsSync(KEPT)) return;
  const fresh = `${KEPT}.${process.pid}`;
  const data = join(fresh, 'data');
  const file = join(fresh, 'server.properties');
  mkdirSync(fresh, { recursive: true });
  try {
    const port = await freePort();
    writeFileSync(
      file,
      properties(port, await freePort(), data, { listeners: {}, properties: '' }),
    );
    await format(file);
    cpSync(data, join(fresh, 'formatted'), { recursive: true });
    const flags = [`-XX:ArchiveClassesAtExit=${join(fresh, 'classes.jsa')}`];
    const broker = await startBroker(file, port, flags);
    const ended = once(broker, 'exit');
    broker.kill('SIGTERM');
    await ended;
    for (const used of [data, file]) rmSync(used, { recursive: true });
    renameSync(fresh, KEPT);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another process was faster, or it failed.
    if (!existsSync(KEPT)) throw error;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await makeFirstStart();
