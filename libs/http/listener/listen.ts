import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** The address at which a server was asked to listen; port 0 takes a free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Has a server listen at an address.
 * @returns the port that it has, and host and port as they stand in a URL
 * @throws when the address is taken
 */
export async function listen(
  server: Server,
  { host, port }: ListenAddress,
): Promise<{ readonly port: number; readonly authority: string }> {
  server.listen(port, host);
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return { port: bound, authority: `${host.includes(':') ? `[${host}]` : host}:${bound}` };
}
