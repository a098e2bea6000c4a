import { z } from 'zod';

const httpAddress = z
  .string()
  .regex(/^.+:\d{1,5}$/, 'want <host>:<port>')
  .transform((address) => {
    const colon = address.lastIndexOf(':');
    return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
  });

const environment = z.object({
  MILLRACE_HTTP_ADDR: httpAddress.prefault('127.0.0.1:5080'),
});

export interface Config {
  readonly http: { readonly host: string; readonly port: number };
}

/** The only place that reads the environment. Throws with every wrong variable named. */
export function readConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  const parsed = environment.safeParse(variables);
  if (!parsed.success) throw new Error(`configuration: ${z.prettifyError(parsed.error)}`);
  return { http: parsed.data.MILLRACE_HTTP_ADDR };
}
