import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Client } from './client.js';
import { ROOT } from './server-process.mjs';

export { ROOT };

export interface BorrowedServer {
  readonly url: string;
  /** A new one, which nobody else uses; it ends when the server is given back. */
  readonly organization: string;
  /** Requests as root, in the organization. */
  readonly client: Client;
  /** @throws when the server has ended meanwhile, with what it said last. */
  giveBack(): Promise<void>;
}

/**
 * A running server with no options, for a suite that is content with an organization of its own.
 * Suites of the same worker use it one after the other, so nothing of it is another's meanwhile;
 * but accounts and what the organization `default` has are there from earlier ones.
 * A suite starts its own (see start-server.ts) when it needs other variables, stops or kills the
 * server, looks into its data directory, fails to log in on purpose, or counts what the whole
 * server has: accounts, organizations, metrics.
 */
export async function borrowServer(): Promise<BorrowedServer> {
  const worker = process.env.JEST_WORKER_ID ?? '1';
  const { url, organization } = (await ask('/lend', { worker })) as Record<
    'url' | 'organization',
    string
  >;
  return {
    url,
    organization,
    client: new Client(url, ROOT, organization),
    giveBack: async () => void (await ask('/take-back', { worker, organization })),
  };
}

async function ask(path: string, body: unknown): Promise<unknown> {
  const socketPath = process.env.MILLRACE_LENT_SERVERS;
  if (socketPath === undefined) throw new Error('only suites of test/e2e can borrow a server');
  const answer = await new Promise<string>((resolve, reject) => {
    request({ socketPath, path, method: 'POST' }, (response) => {
      const done = text(response);
      if (response.statusCode === 200) done.then(resolve, reject);
      else done.then((message) => reject(new Error(message)), reject);
    })
      .on('error', reject)
      .end(JSON.stringify(body));
  });
  return JSON.parse(answer);
}
