import 'reflect-metadata';
import { createLogger } from '@app/platform';
import { openStores } from '../components/open-components.js';
import { configOfServer } from '../terminal/config-of-server.js';

/**
 * Accepts the existing events as they are, and from now on refuses events without a MAC.
 * @throws {Error} when the stores cannot be opened
 */
export async function sealEvents(): Promise<void> {
  const config = configOfServer();
  const stores = await openStores(config, createLogger(config.logLevel), { isAlone: true });
  await stores.close();
  console.log('the events are sealed: start the processes of this release');
}
