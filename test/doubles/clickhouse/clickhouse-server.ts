import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import { Access } from './access.js';
import { DoubleEngine } from './double-engine.js';
import { DoubleError, toDoubleError } from './double-error.js';
import { header, idOf, readRequest, spoolName } from './read-request.js';
import { runStatement, type Answer } from './run-statement.js';
import { RunningQueries, type RunningQuery } from './running-queries.js';

export interface ServerOptions {
  /** This absolute path is kept. */
  readonly directory: string;
  readonly user: string;
  readonly password: string;
}

/** Speaks ClickHouse's HTTP interface over the embedded engine, which there is one of in a process. */
export class ClickHouseServer {
  private readonly running = new RunningQueries();
  private readonly engine: DoubleEngine;
  private readonly access: Access;
  private readonly spool: string;
  private readonly http: Server;

  constructor(options: ServerOptions) {
    this.engine = new DoubleEngine(options.directory);
    this.access = new Access(options.directory, options);
    this.spool = join(options.directory, 'received');
    rmSync(this.spool, { recursive: true, force: true });
    mkdirSync(this.spool, { recursive: true });
    this.http = createServer(
      { keepAliveTimeout: 10_000, maxHeaderSize: 1024 * 1024 },
      (request, response) => {
        void this.answer(request, response);
      },
    );
  }

  /** @returns the port. */
  async listen(port: number): Promise<number> {
    await this.engine.learnSettings();
    this.http.listen(port, '127.0.0.1');
    await once(this.http, 'listening');
    return (this.http.address() as AddressInfo).port;
  }

  close(): void {
    this.http.closeAllConnections();
    this.http.close();
    this.engine.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://double');
    if (url.pathname === '/ping') {
      response.end('Ok.\n');
      return;
    }
    const tag = randomBytes(8).toString('hex');
    let query: RunningQuery | undefined;
    try {
      const user = this.login(request, url);
      query = this.running.begin(idOf(url), user);
      const { gone, id } = query;
      response.setHeader('X-ClickHouse-Query-Id', id);
      response.once('close', () => gone.abort(new Error('the client is gone')));
      gone.signal.addEventListener('abort', () => request.destroy(), { once: true });
      const file = spoolName(this.spool, randomUUID());
      const read = await readRequest(request, url, file);
      query.text = read.statement;
      const answer = await runStatement(this.engine, read, this.running, gone.signal, {
        access: this.access,
        user,
      });
      await send(answer, tag, header(request, 'accept-encoding'), read, response);
      if (read.dataFile !== undefined) rmSync(read.dataFile, { force: true });
    } catch (error) {
      const failure = toDoubleError(query?.gone.signal.reason ?? error);
      tell(failure, tag, response);
    } finally {
      query?.end();
    }
  }

  private login(request: IncomingMessage, url: URL): string {
    const basic = /^Basic (.+)$/.exec(header(request, 'authorization') ?? '')?.[1];
    const [name = 'default', ...rest] =
      basic === undefined ? [] : Buffer.from(basic, 'base64').toString('utf8').split(':');
    const user = url.searchParams.get('user') ?? header(request, 'x-clickhouse-user') ?? name;
    const password =
      url.searchParams.get('password') ?? header(request, 'x-clickhouse-key') ?? rest.join(':');
    if (this.access.isRight(user, password)) return user;
    throw new DoubleError(516, 'AUTHENTICATION_FAILED', `${user}: Authentication failed: password is incorrect, or there is no user with such name.`); // prettier-ignore
  }
}

async function send(
  { bytes, format, summary }: Answer,
  tag: string,
  encodings: string | undefined,
  { settings }: { settings: ReadonlyMap<string, string> },
  response: ServerResponse,
): Promise<void> {
  response.setHeader('X-ClickHouse-Format', format);
  response.setHeader('X-ClickHouse-Timezone', 'UTC');
  response.setHeader('X-ClickHouse-Exception-Tag', tag);
  response.setHeader('X-ClickHouse-Summary', JSON.stringify(summary));
  const isCompressed =
    settings.get('enable_http_compression') === '1' && /\bgzip\b/.test(encodings ?? '');
  const compressor = isCompressed ? createGzip() : undefined;
  if (compressor) {
    response.setHeader('Content-Encoding', 'gzip');
    compressor.pipe(response);
  }
  const out = compressor ?? response;
  const closed = once(response, 'close');
  for await (const chunk of bytes) {
    if (response.destroyed) return;
    if (!out.write(chunk)) await Promise.race([once(out, 'drain'), closed]);
  }
  out.end();
}

/**
 * Tells a failure by the status before the first byte, and in the body after it, where a client
 * must look for it.
 */
function tell(failure: DoubleError, tag: string, response: ServerResponse): void {
  if (response.destroyed) return;
  const { text } = failure;
  if (!response.headersSent) {
    response.statusCode = failure.status;
    response.removeHeader('Content-Encoding');
    response.setHeader('X-ClickHouse-Exception-Code', failure.code);
    response.end(text);
    return;
  }
  response.end(
    `\r\n__exception__\r\n${tag}\r\n${text}${Buffer.byteLength(text)} ${tag}\r\n__exception__\r\n`,
  );
}
