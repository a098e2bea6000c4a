import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keptSecret } from '@app/key-store';
import type { Config } from '@app/config';

/** Tells whether tables and events are on servers, so that this process needs no other's data directory. */
export const hasSharedStores = ({ clickHouse, eventStore }: Config): boolean =>
  clickHouse !== undefined && eventStore !== undefined;

/**
 * Does `work` with a temporary data directory, because a running process uses the configured one.
 * It may be called only if {@link hasSharedStores}.
 */
export async function besideRunning<Result>(
  config: Config,
  work: (config: Config) => Promise<Result>,
): Promise<Result> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'millrace-command-'));
  try {
    const secretKey = config.secretKey ?? keptSecret(config.dataDirectory);
    return await work({ ...config, dataDirectory, secretKey });
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
}
