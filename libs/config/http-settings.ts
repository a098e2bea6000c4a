import { z } from 'zod';

const PORT_MAX = 65_535;

export const httpAddress = z
  .string()
  .regex(/^.+:\d{1,5}$/, 'want <host>:<port>')
  .transform((address) => {
    const colon = address.lastIndexOf(':');
    const host = address.slice(0, colon).replace(/^\[(.+)\]$/, '$1');
    return { host, port: Number(address.slice(colon + 1)) };
  })
  .refine(({ port }) => port <= PORT_MAX, `want a port up to ${PORT_MAX}`);

/** Proxies whose X-Forwarded-For is believed: addresses or CIDR ranges. */
export const proxies = z
  .string()
  .transform((text) => text.split(',').map((each) => each.trim()))
  .refine((all) => all.every((each) => /^[0-9a-fA-F.:]+(\/\d{1,3})?$/.test(each)), {
    error: 'want addresses or CIDR ranges with commas between them',
  })
  .optional();

/**
 * Origins whose pages may call. `*` is not allowed, because then any page could act as the user who
 * is logged in here.
 */
export const origins = z
  .string()
  .prefault('')
  .transform((text) => text.split(',').map((each) => each.trim()))
  .transform((all) => all.filter((each) => each !== ''))
  .refine((all) => all.every(isOrigin), {
    error:
      'want origins as a browser sends them, such as https://app.example.com, with commas between them; no path, no *',
  });

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
