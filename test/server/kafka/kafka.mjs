// A real Apache Kafka (KRaft, one node) for tests and for trying things out:
// `npm run kafka`, or `node test/server/kafka/kafka.mjs [port] [directory]`.
// Needs Java 17 or newer, and Maven for the first time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../free-port.mjs';
import { fetchKafka, jars } from './fetch.mjs';

const JAVA = ['-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
const CLUSTER = 'bWlsbHJhY2UtdGVzdC1rYQ';
const START_MS = 60_000;

/** `more`: listeners by name, beside the plain one, and their properties; see secured.ts. */
const properties = (port, controller, data, more) => `
process.roles=broker,controller
node.id=1
listeners=${listeners({ PLAINTEXT: port, ...more.listeners, CONTROLLER: controller })}
advertised.listeners=${listeners({ PLAINTEXT: port, ...more.listeners })}
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=${['PLAINTEXT', ...Object.keys(more.listeners)].map((name) => `${name}:${name}`).join(',')},CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
controller.quorum.voters=1@127.0.0.1:${controller}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=3
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=3
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
log.dirs=${data}
${more.properties}
`;

const listeners = (ports) =>
  Object.entries(ports)
    .map(([name, port]) => `${name}://127.0.0.1:${port}`)
    .join(',');

function java(main, args, options) {
  const logging = '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn';
  return spawn('java', [...JAVA, logging, '-cp', join(jars, '*'), main, ...args], options);
}

async function answers(port) {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/**
 * Starts a broker; one on a directory that it had before goes on with what is there.
 * @returns its address, and its process to stop, pause or kill.
 */
export async function startKafka({
  port,
  directory,
  more = { listeners: {}, properties: '', format: [] },
}) {
  fetchKafka();
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'server.properties');
  const data = join(directory, 'data');
  if (!existsSync(file)) {
    writeFileSync(file, properties(port ?? (await freePort()), await freePort(), data, more));
    const format = java(
      'kafka.tools.StorageTool',
      ['format', '-t', CLUSTER, '-c', file, ...more.format],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let complaint = '';
    format.stderr.setEncoding('utf8').on('data', (text) => (complaint += text));
    const [code] = await once(format, 'exit');
    if (code !== 0) throw new Error(`Kafka’s storage cannot be formatted: ${complaint}`);
  }
  const listening = Number(
    /listeners=PLAINTEXT:\/\/127\.0\.0\.1:(\d+)/.exec(readFileSync(file, 'utf8'))?.[1],
  );
  const child = java('kafka.Kafka', [file], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-20_000)));
  const until = Date.now() + START_MS;
  while (!(await answers(listening))) {
    if (child.exitCode !== null || Date.now() > until)
      throw new Error(`Kafka does not start: ${output}`);
    await sleep(50);
  }
  return { brokers: `127.0.0.1:${listening}`, process: child };
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
