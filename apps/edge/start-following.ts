import { join, resolve } from 'node:path';
import { Follower, type EdgeConfig, type TableRegistry } from '@app/edge';
import type { Logger } from '@app/platform';
import type { SourceEngine } from '@app/warehouse';

interface FollowingComponents {
  readonly config: EdgeConfig;
  /** Relative paths start from this folder. */
  readonly base: string;
  /** An absolute path. The folder is deleted when the program ends. */
  readonly directory: string;
  readonly engine: SourceEngine;
  readonly tables: TableRegistry;
  readonly logger: Logger;
}

/** Follows a hosted organization where that was asked for. @throws {Error} when it refuses */
export async function startFollowing({
  config: { follow },
  base,
  directory,
  engine,
  tables,
  logger,
}: FollowingComponents): Promise<Follower | undefined> {
  if (!follow) return undefined;
  const { cacheFolder } = follow;
  return Follower.start({
    config: follow,
    folder: cacheFolder === undefined ? join(directory, 'follow') : resolve(base, cacheFolder),
    registry: tables,
    statements: engine.statements,
    logger,
    told: (names) => console.log(`followed tables: ${names.join(', ') || 'none'}`),
  });
}
