import { z } from 'zod';

export interface HttpAddress {
  readonly host: string;
  readonly port: number;
}

const PORT_MAX = 65_535;

/** `<host>:<port>`, an IPv6 address in brackets. */
export const httpAddress = z
  .string()
  .regex(/^(?:\[[0-9a-fA-F:.]+\]|[^\s:[\]/]+):\d{1,5}$/, 'want <host>:<port>')
  .transform((address): HttpAddress => {
    const colon = address.lastIndexOf(':');
    const host = address.slice(0, colon).replace(/^\[(.+)\]$/, '$1');
    return { host, port: Number(address.slice(colon + 1)) };
  })
  .refine(({ port }) => port <= PORT_MAX, `want a port up to ${PORT_MAX}`);
