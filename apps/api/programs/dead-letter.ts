import 'reflect-metadata';
import { join } from 'node:path';
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
import type { Config } from '@app/config';
import { besideRunning, hasSharedStores } from '../terminal/beside-running.js';
import { openStores } from '../components/open-components.js';
import { configOfServer } from '../terminal/config-of-server.js';

const nameOf = ({ position: { partition, offset } }: DeadBatch): string => `${partition}-${offset}`;

/** Lists the batches that no table took. */
export async function listDeadLetters(): Promise<void> {
  const config = configOfServer();
  const batches = await openDeadLetter(config.dataDirectory).list();
  for (const batch of batches) {
    const { database = '?', table = '?', rows = '?' } = batch.headers;
    console.log(`${nameOf(batch)}: ${rows} rows for ${database}.${table}: ${batch.reason}`);
  }
  console.log(`${batches.length} batches`);
}

/** Puts each into its table. @returns how many did not go. */
export function replayDeadLetters(): Promise<number> {
  const config = configOfServer();
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
    await rebuild(events, [streams], snapshots, { from: () => last, onProgress: () => undefined });
    const spool = new Spool(join(config.dataDirectory, 'spool'), { minFreeBytes: 0 });
    const inserter = new GroupInserter(warehouse, spool.folder('writer'), streams, warehouse);
    const requeue = new DeadLetterRequeue(deadLetter, inserter, warehouse, streams);
    let left = 0;
    const batches = await deadLetter.list();
    if (batches.length === 0) console.log('0 batches');
    for (const batch of batches) {
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
