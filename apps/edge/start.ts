import 'reflect-metadata';
import type { EdgeConfig, PreparedTable } from '@app/edge';
import { makePrivately } from '@app/files';
import {
  breakOff,
  breakOffOnSignal,
  closeOnSignal,
  createLogger,
  endOnUnhandledRejection,
  programVersion,
} from '@app/platform';
import { openComponents } from './open-components.js';
import { serve } from './serve.js';

const LOG_LEVEL = 'warn';
/** Results that the engine still computes are not needed any more. */
const CLOSE_MS = 3000;

/** Answers from tables over files until a signal. @throws {Error} when it cannot start */
export async function start(config: EdgeConfig): Promise<void> {
  makePrivately();
  for (const note of config.notes) console.error(note);
  const logger = createLogger(LOG_LEVEL);
  endOnUnhandledRejection(logger);
  const started = breakOffOnSignal();
  const components = await openComponents(config, logger);
  const server = await serve(components).catch(async (error: unknown) => {
    await components.close();
    throw error;
  });
  closeOnSignal(async () => {
    await server.stop();
    const late = setTimeout(breakOff, CLOSE_MS);
    await components.close();
    clearTimeout(late);
  });
  started();
  for (const told of server.told) console.log(told);
  console.log(`millrace-edge ${programVersion()} listens on ${server.url}`);
  const [all, copied] = [components.tables.list(), ({ copy }: PreparedTable) => copy !== undefined];
  console.log(`tables: ${namesOf(all)}`);
  const held = namesOf(all.filter(copied));
  const inPlace = namesOf(all.filter((table) => !copied(table)));
  if (held !== '') console.log(`copied into the engine: ${held}`);
  if (inPlace !== '') console.log(`read where they lie, at each query: ${inPlace}`);
}

const namesOf = (tables: readonly PreparedTable[]): string =>
  tables.map(({ described }) => described.name).join(', ');
