// Jest runs this after the last suite: no server is left.
export default async function tearDown() {
  await globalThis.keeperOfServers.stop();
}
