import { z } from 'zod';

/** The address of a ClickHouse server's HTTP interface, with who to be there. It may hold a password, which no message repeats. */
export const clickHouseUrl = z
  .string()
  .refine(isServer, 'want the HTTP address of a server, such as http://name:password@host:8123')
  .optional();

function isServer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && pathname === '/' && search === '' && hash === '';
}
