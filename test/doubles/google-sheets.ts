import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface GoogleSheetsDouble {
  /** Stands for `https://docs.google.com`. */
  readonly origin: string;
  /**
   * The sheets by `<id>/<gid>`; the first sheet of a document is gid 0. Documents that are not here
   * are private.
   */
  readonly sheets: Map<string, string>;
  stop(): Promise<void>;
}

/**
 * Answers on the wire as Google's server does for documents that are open to anybody: a redirection
 * to where the CSV is. A document that is not is a page of HTML that wants to know who asks.
 */
export async function startGoogleSheets(): Promise<GoogleSheetsDouble> {
  const sheets = new Map<string, string>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://google');
    const [, id = ''] = /^\/spreadsheets\/d\/([^/]+)\/export$/.exec(url.pathname) ?? [];
    const gid = url.searchParams.get('gid') ?? '0';
    const exported = url.pathname === '/exported' ? url.searchParams.get('of') : null;
    if (exported !== null)
      response.writeHead(200, { 'content-type': 'text/csv' }).end(sheets.get(exported));
    else if (sheets.has(`${id}/${gid}`))
      response
        .writeHead(307, { location: `/exported?of=${encodeURIComponent(`${id}/${gid}`)}` })
        .end('<HTML>Temporary Redirect</HTML>');
    else if (sheets.has(`${id}/0`)) response.writeHead(400).end('no such gid');
    else if (url.pathname === '/sign-in')
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end('<!doctype html>');
    else response.writeHead(302, { location: '/sign-in' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sheets,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
