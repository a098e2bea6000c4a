// A real Apache Kafka (KRaft, one node) for tests and for trying things out:
// `npm run kafka`, or `node test/server/kafka/kafka.mjs [port] [directory]`.
// Needs Java 17 or newer, and Maven for the first time.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../free-port.mjs';
import { format, properties, startBroker } from './broker.mjs';
import { FORMATTED, makeFirstStart } from './first-start.mjs';

/**
 * Starts a broker; one on a directory that it had before goes on with what is there.
 * @returns its address, and its process to stop, pause or kill.
 */
export async function startKafka({
  port,
  directory,
  more = { listeners: {}, properties: '', format: [] },
}) {
  await makeFirstStart();
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'server.properties');
  const data = join(directory, 'data');
  if (!existsSync(file)) {
    writeFileSync(file, properties(port ?? (await freePort()), await freePort(), data, more));
    if (more.format.length > 0) await format(file, more.format);
    else cpSync(FORMATTED, data, { recursive: true });
  }
  const listening = Number(
    /listeners=PLAINTEXT:\/\/127\.0\.0\.1:(\d+)/.exec(readFileSync(file, 'utf8'))?.[1],
  );
  return { brokers: `127.0.0.1:${listening}`, process: await startBroker(file, listening) };
}

const HELP = `usage: npm run kafka -- [port] [directory]

Starts one Kafka broker on 127.0.0.1, for trying and for tests; the port is 9092 without one, the
directory a new one below the system's temporary folder. It is fetched at the first start.`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [asked] = process.argv.slice(2);
  if (asked !== undefined && !/^\d+$/.test(asked)) {
    console.log(HELP);
    process.exit(/^(?:--help|-h)$/.test(asked) ? 0 : 2);
  }
  const [port, directory = mkdtempSync(join(tmpdir(), 'millrace-kafka-'))] = process.argv.slice(2);
  const kafka = await startKafka({ port: port === undefined ? 9092 : Number(port), directory });
  console.log(`Kafka listens on ${kafka.brokers}, its data is in ${directory}`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => kafka.process.kill(signal));
  kafka.process.on('exit', (code) => process.exit(code ?? 1));
}
