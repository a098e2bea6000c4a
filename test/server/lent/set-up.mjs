// Before the first suite: what lends servers is there.
import { startKeeper } from './start-keeper.mjs';

export default async function setUp() {
  globalThis.keeperOfServers = await startKeeper();
  process.env.LENT_SERVERS = globalThis.keeperOfServers.socket;
}
