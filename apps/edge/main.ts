import 'reflect-metadata';
import { HELP, readEdgeConfig, type EdgeConfig } from '@app/edge';
import {
  breakOff,
  breakOffOnSignal,
  closeOnSignal,
  createLogger,
  endOnUnhandledRejection,
  makePrivately,
  programVersion,
  readEdgeEnvironment,
} from '@app/platform';
import { openParts } from './open-parts.js';
import { serve } from './serve.js';

const LOG_LEVEL = 'warn';
/** Nothing that the engine is still at work on is wanted. */
const CLOSE_MS = 3000;

async function start(config: EdgeConfig): Promise<void> {
  makePrivately();
  for (const note of config.notes) console.error(note);
  const logger = createLogger(LOG_LEVEL);
  endOnUnhandledRejection(logger);
  const started = breakOffOnSignal();
  const parts = await openParts(config, logger);
  const server = await serve(parts).catch(async (error: unknown) => {
    await parts.close();
    throw error;
  });
  closeOnSignal(async () => {
    await server.stop();
    const late = setTimeout(breakOff, CLOSE_MS);
    await parts.close();
    clearTimeout(late);
  });
  started();
  const names = parts.tables.list().map(({ described }) => described.name);
  console.log(`millrace-edge ${programVersion()} listens on ${server.url}`);
  console.log(`tables: ${names.join(', ')}`);
}

try {
  const config = await readEdgeConfig(process.argv.slice(2), readEdgeEnvironment());
  if (config === 'help') console.log(HELP);
  else if (config === 'version') console.log(`millrace-edge ${programVersion()}`);
  else await start(config);
} catch (error) {
  console.error(`millrace-edge: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
