// `millrace dead-letter`: what no table took, and puts it back.
import 'reflect-metadata';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { rebuild } from '@app/event-store';
import { Spool } from '@app/intake';
import {
  GroupInserter,
  openDeadLetter,
  DeadLetterRequeue,
  type DeadBatch,
  type DeadLetter,
} from '@app/writer';
import { createLogger } from '@app/platform';
import { readConfig, type Config } from '@app/config';
import { besideRunning, hasSharedStores } from './terminal/beside-running.js';
import { openStores } from './parts/open-parts.js';

const USAGE = `usage: millrace dead-letter --list | --replay

Batches that no table took are in <data>/dead-letter of the process that wrote them.

  --list    tells what is there, and why
  --replay  puts each into its table, once, and takes it out of the folder; what still does not go
            stays, and the code is 1. With KAFKA_BROKERS, CLICKHOUSE_URL and EVENTSTORE_URL also
            beside that process; else it must be stopped, for it has the tables.
  --help    this text

MILLRACE_DATA_DIR and the other variables are those of that process.`;

const nameOf = ({ position: { partition, offset } }: DeadBatch): string => `${partition}-${offset}`;

async function list(config: Config): Promise<void> {
  const batches = await openDeadLetter(config.dataDirectory).list();
  for (const batch of batches) {
    const { database = '?', table = '?', rows = '?' } = batch.headers;
    console.log(`${nameOf(batch)}: ${rows} rows for ${database}.${table}: ${batch.reason}`);
  }
  console.log(`${batches.length} batches`);
}

/** @returns how many did not go. */
function replay(config: Config): Promise<number> {
  const { dataDirectory, kafka } = config;
  const deadLetter = openDeadLetter(dataDirectory);
  // Without Kafka a writer that loses its partition does not begin anew.
  return kafka !== undefined && hasSharedStores(config)
    ? besideRunning(config, (own) => requeueAll(own, deadLetter))
    : requeueAll(config, deadLetter);
}

async function requeueAll(config: Config, deadLetter: DeadLetter): Promise<number> {
  const stores = await openStores(config, createLogger(config.logLevel));
  try {
    const { events, snapshots, streams, warehouse } = stores;
    const last = (await events.lastPosition()) ?? 0n;
    await rebuild(events, streams, snapshots, { from: last, onProgress: () => undefined });
    const spool = new Spool(join(config.dataDirectory, 'spool'), 0);
    const inserter = new GroupInserter(warehouse, spool.folder('writer'), streams, warehouse);
    const requeue = new DeadLetterRequeue(deadLetter, inserter, warehouse, streams);
    let left = 0;
    for (const batch of await deadLetter.list()) {
      try {
        const outcome = await requeue.one(batch);
        const told =
          outcome === 'stored' ? 'in its table' : 'its stream was deleted, and it with it';
        console.log(`${nameOf(batch)}: ${told}`);
      } catch (error) {
        left += 1;
        console.log(
          `${nameOf(batch)}: stays: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
    return left;
  } finally {
    await stores.close();
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      list: { type: 'boolean', default: false },
      replay: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void console.log(USAGE);
  if (values.list === values.replay) throw new Error(`say --list or --replay\n\n${USAGE}`);
  const config = readConfig();
  if (values.list) await list(config);
  else if ((await replay(config)) > 0) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  console.error(`dead-letter: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
