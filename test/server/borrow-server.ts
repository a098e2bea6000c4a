import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Client } from './client.js';
import { ROOT } from './server-process.mjs';

export { ROOT };

interface Loan {
  readonly url: string;
  /** The id of the server's process. */
  readonly pid: number;
  /** The path of its data, which no answer may have. Data of all organizations are in it. */
  readonly dataDirectory: string;
  /** A new one, which nobody else uses; it ends when the server is given back. */
  readonly organization: string;
}

export interface BorrowedServer extends Loan {
  /** Requests as root, in the organization. */
  readonly client: Client;
  /** @throws when the server has ended meanwhile, with what it said last. */
  giveBack(): Promise<void>;
}

/**
 * A running server with no options, for a suite that is content with an organization of its own.
 * Suites of the same worker use it one after the other, so nothing of it is another's meanwhile;
 * but accounts and the data of the organization `default` remain from earlier ones. A suite starts
 * its own (see start-server.ts) when it needs other variables, stops or kills the server, looks
 * into its data directory, fails to log in on purpose, or counts what the whole server has:
 * accounts, organizations, metrics.
 */
export function borrowServer(): Promise<BorrowedServer> {
  const socket = process.env.LENT_SERVERS;
  if (socket === undefined) throw new Error('only suites of test/e2e can borrow a server');
  return borrowFrom(socket, process.env.JEST_WORKER_ID ?? '1');
}

/** @param worker who has the same server for one suite after the other */
export async function borrowFrom(socket: string, worker: string): Promise<BorrowedServer> {
  const ask = (path: string, body: object): Promise<unknown> =>
    askKeeper(socket, path, { worker, ...body });
  const loan = (await ask('/lend', {})) as Loan;
  const { url, organization } = loan;
  return {
    ...loan,
    client: new Client(url, ROOT, organization),
    giveBack: async () => void (await ask('/take-back', { organization })),
  };
}

async function askKeeper(socketPath: string, path: string, body: object): Promise<unknown> {
  const answer = await new Promise<string>((resolve, reject) => {
    // The keeper would have closed a kept-alive connection long before the next suite.
    request({ socketPath, path, method: 'POST', agent: false }, (response) => {
      const done = text(response);
      if (response.statusCode === 200) done.then(resolve, reject);
      else done.then((message) => reject(new Error(message)), reject);
    })
      .on('error', reject)
      .end(JSON.stringify(body));
  });
  return JSON.parse(answer);
}
