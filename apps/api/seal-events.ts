// `millrace seal-events`: from here on only events with a MAC count, where older ones are on a server.
import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { createLogger } from '@app/platform';
import { readConfig } from '@app/config';
import { openStores } from './parts/open-parts.js';

const USAGE = `usage: millrace seal-events

For the upgrade of an installation with EVENTSTORE_URL from 0.2.0, once: events carry MACs from here
on, and those that are there by now are taken as they are. What the older release writes after this
changes nothing, so every process of it must be stopped; none may be started again. With the
variables of the API. An embedded server does this by itself when it starts.

  --help  this text`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
  if (values.help) return void console.log(USAGE);
  const config = readConfig();
  const stores = await openStores(config, createLogger(config.logLevel), { isAlone: true });
  await stores.close();
  console.log('the events are sealed: start the processes of this release');
}

try {
  await main();
} catch (error) {
  console.error(`seal-events: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
