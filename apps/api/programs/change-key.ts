import 'reflect-metadata';
import { changeInstallationKey, FormerKeyError, recognizeKey } from '@app/identity';
import {
  dropNextSecret,
  isSameSecret,
  keptSecret,
  nextSecret,
  readSecret,
  ServerKey,
  takeNextSecret,
} from '@app/key-store';
import { createLogger, OperatorError, type Logger } from '@app/platform';
import type { Config } from '@app/config';
import { openPersonKeys } from '../components/open-person-keys.js';
import { openStores, type Stores } from '../components/open-components.js';
import { configOfServer } from '../terminal/config-of-server.js';

/** The keys that the command works with. */
interface Keys {
  readonly current: Uint8Array;
  readonly next: Uint8Array;
  /** Tells whether the key is in the file of the data directory. */
  readonly isKept: boolean;
  /**
   * Tells whether this run has written the next key there. Then that key cannot be in force yet.
   */
  readonly isNew: boolean;
}

function keysOf(config: Config, newKeyFile: string | undefined): Keys {
  const { secretKey, dataDirectory } = config;
  const given = newKeyFile === undefined ? undefined : readSecret(newKeyFile);
  if (secretKey === undefined) {
    const current = keptSecret(dataDirectory);
    refuseSame(current, given);
    return { current, ...nextSecret(dataDirectory, given), isKept: true };
  }
  refuseSame(secretKey, given);
  if (given) return { current: secretKey, next: given, isKept: false, isNew: false };
  throw new OperatorError(
    `the key comes from MILLRACE_SECRET_KEY: say where the new one is with --new-key-file`,
  );
}

function refuseSame(current: Uint8Array, given: Uint8Array | undefined): void {
  if (given && isSameSecret(current, given))
    throw new OperatorError('this key is the one that the server has; want another one');
}

/** @returns how many people have keys */
async function change(config: Config, keys: Keys, log: Logger): Promise<number> {
  const { current, next } = keys;
  const stores = await open(config, current, next, log).catch((error: unknown) => {
    // Nothing was changed, for example because the server runs. A new key that stayed here would
    // stop the next change.
    if (keys.isNew) dropNextSecret(config.dataDirectory);
    throw error;
  });
  try {
    const { stored, notOurs, warehouse, serverKey } = stores;
    const nextKey = new ServerKey(next);
    if (!isSame(serverKey, nextKey))
      await changeInstallationKey(stored, serverKey, nextKey, notOurs);
    await recognizeKey(stored, nextKey);
    const personKeys = await openPersonKeys(config, nextKey, warehouse);
    return await personKeys.rewrap();
  } finally {
    await stores.close();
  }
}

/** Forgets a key that was refused; one that may be in force is kept. */
async function forgetRefused(config: Config, { current, isKept }: Keys, log: Logger) {
  if (!isKept) return;
  try {
    const stores = await openStores({ ...config, secretKey: current }, log);
    await stores.close();
  } catch {
    return;
  }
  dropNextSecret(config.dataDirectory);
}

/** Opens the stores, with the new key where a change was broken off. */
async function open(
  config: Config,
  current: Uint8Array,
  next: Uint8Array,
  log: Logger,
): Promise<Stores> {
  try {
    return await openStores({ ...config, secretKey: current }, log);
  } catch (error) {
    if (!(error instanceof FormerKeyError)) throw error;
    return openStores({ ...config, secretKey: next }, log);
  }
}

const isSame = (a: ServerKey, b: ServerKey): boolean =>
  a.fingerprint('change-key', '') === b.fingerprint('change-key', '');

/**
 * Replaces the key of the installation.
 * @param newKeyFile the file of the new key; undefined: a key is made
 * @throws {Error} when it fails. The former key remains in force if the event of the change was not
 *   stored; otherwise the command must be run again
 */
export async function changeKey(newKeyFile: string | undefined): Promise<void> {
  const config = configOfServer();
  const keys = keysOf(config, newKeyFile);
  const log = createLogger(config.logLevel);
  const count = await change(config, keys, log).catch(async (error: unknown) => {
    await forgetRefused(config, keys, log);
    throw error;
  });
  if (keys.isKept) takeNextSecret(config.dataDirectory);
  console.log(`the key is changed; the keys of ${count} people are wrapped with the new one`);
  console.log(
    keys.isKept
      ? 'it is in the file secret-key of the data directory: keep a copy apart'
      : 'start every process with MILLRACE_SECRET_KEY set to it',
  );
}
