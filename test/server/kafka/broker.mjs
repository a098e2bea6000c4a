// A broker's parts: its settings, its storage, its process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jars } from './fetch.mjs';

/** A first start leaves these files for all later ones; see first-start.mjs. */
export const KEPT = join(jars, 'first-start');
const CLASSES = join(KEPT, 'classes.jsa');

const JAVA = ['-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
const CLUSTER = 'bWlsbHJhY2UtdGVzdC1rYQ';
const START_MS = 60_000;

/** `more`: listeners by name, beside the plain one, and their properties; see secured.ts. */
export const properties = (port, controller, data, more) => `
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

function java(main, args, { flags = [], ...options }) {
  const logging = '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn';
  // The jars have one order, because kept classes belong to a path.
  const path = readdirSync(jars)
    .filter((name) => name.endsWith('.jar'))
    .sort()
    .map((name) => join(jars, name))
    .join(':');
  const classes = existsSync(CLASSES) ? [`-XX:SharedArchiveFile=${CLASSES}`] : [];
  return spawn(
    'java',
    [...JAVA, ...classes, ...flags, logging, '-cp', path, main, ...args],
    options,
  );
}

/** Makes the folder that the settings in a file name. @param more arguments of Kafka's tool */
export async function format(file, more = []) {
  const formatting = java(
    'kafka.tools.StorageTool',
    ['format', '-t', CLUSTER, '-c', file, ...more],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let complaint = '';
  formatting.stderr.setEncoding('utf8').on('data', (text) => (complaint += text));
  const [code] = await once(formatting, 'exit');
  if (code !== 0) throw new Error(`Kafka’s storage cannot be formatted: ${complaint}`);
}

/** @param flags of Java @returns the process of a broker that answers at the port */
export async function startBroker(file, port, flags = []) {
  const child = java('kafka.Kafka', [file], { flags, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-20_000)));
  const until = Date.now() + START_MS;
  while (!(await answers(port))) {
    if (child.exitCode !== null || Date.now() > until)
      throw new Error(`Kafka does not start: ${output}`);
    await sleep(50);
  }
  return child;
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
