// Jest runs this before the first suite: it starts the keeper, which lends servers.
import { startKeeper } from './start-keeper.mjs';

export default async function setUp() {
  globalThis.keeperOfServers = await startKeeper();
  process.env.LENT_SERVERS = globalThis.keeperOfServers.socket;
}
