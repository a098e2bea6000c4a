// `millrace seal-events`: from here on only events with a MAC count, where older ones are on a server.
import { parseArgs } from 'node:util';

const USAGE = `usage: millrace seal-events

For the upgrade of an installation with EVENTSTORE_URL from 0.2.0, once: events carry MACs from here
on, and those that are there by now are taken as they are. What the older release writes after this
changes nothing, so every process of it must be stopped; none may be started again. With the
variables of the API. An embedded server does this by itself when it starts.

  --help  this text`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
  if (values.help) return void console.log(USAGE);
  const { sealEvents } = await import('./programs/seal-events.js');
  await sealEvents();
}

try {
  await main();
} catch (error) {
  console.error(`seal-events: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
