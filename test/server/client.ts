import { request, type IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly trailers: Readonly<Record<string, string | undefined>>;
  /** The body as JSON. */
  json<T = unknown>(): T;
}

export interface UploadStatus {
  readonly name: string;
  readonly successful: number;
  readonly failed: number;
  readonly error?: string;
}

export interface Call {
  readonly method?: string;
  readonly body?: string | Buffer | Readable;
  readonly headers?: Readonly<Record<string, string>>;
  readonly credentials?: { readonly email: string; readonly password: string } | 'none';
}

/** Node.js sends a body with DELETE, and does not say how long it is. */
const lengthOf = (body: Call['body'], method: string | undefined): Record<string, number> =>
  method === 'DELETE' && (typeof body === 'string' || Buffer.isBuffer(body))
    ? { 'content-length': Buffer.byteLength(body) }
    : {};

/** Speaks to a server over HTTP as its users do, and parses nothing but what it is asked to. */
export class Client {
  constructor(
    private readonly url: string,
    private readonly credentials: { readonly email: string; readonly password: string },
    private readonly organization = 'default',
  ) {}

  /** @param path a whole address, or one of the server, or, without a slash before it, of the organization: `logs/_json` */
  call(
    path: string,
    { method, body, headers = {}, credentials = this.credentials }: Call = {},
  ): Promise<Answer> {
    const authorization =
      credentials === 'none'
        ? {}
        : {
            authorization: `Basic ${Buffer.from(`${credentials.email}:${credentials.password}`).toString('base64')}`,
          };
    return new Promise((resolve, reject) => {
      const sent = request(
        this.urlOf(path),
        {
          method: method ?? (body === undefined ? 'GET' : 'POST'),
          headers: { ...authorization, ...lengthOf(body, method), ...headers },
        },
        (response) => {
          buffer(response).then((bytes) => {
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              bytes,
              trailers: response.trailers,
              json: <T>() => JSON.parse(bytes.toString('utf8')) as T,
            });
          }, reject);
        },
      );
      sent.on('error', reject);
      if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) sent.end(body);
      else body.on('error', (error: Error) => sent.destroy(error)).pipe(sent);
    });
  }

  private urlOf(path: string): URL {
    if (/^https?:/.test(path)) return new URL(path);
    return new URL(path.startsWith('/') ? path : `/api/${this.organization}/${path}`, this.url);
  }

  /** Asks, and hangs up when the answer has begun, and `meanwhile` is done. */
  leaveAfterFirstBytes(
    statement: string,
    meanwhile = (): Promise<void> => Promise.resolve(),
  ): Promise<void> {
    const { email, password } = this.credentials;
    return new Promise((resolve, reject) => {
      const sent = request(
        this.urlOf('sql'),
        { method: 'POST', auth: `${email}:${password}` },
        (response) =>
          response.once('data', () => {
            const left = meanwhile().finally(() => sent.destroy());
            void left.then(resolve, reject);
          }),
      );
      sent.on('error', reject).end(statement);
    });
  }

  /** Uploads and waits until the rows can be queried. @throws when the answer is not 200. */
  upload(
    stream: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<UploadStatus> {
    const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    return this.uploadTo(`${stream}/_json`, bytes, headers);
  }

  /**
   * Uploads in any format and waits as well.
   * @param path from the organization: `<stream>/_parquet`, for one
   */
  async uploadTo(
    path: string,
    body: string | Buffer,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<UploadStatus> {
    const answer = await this.call(`${path}?wait=true`, { body, headers });
    if (answer.status !== 200)
      throw new Error(`upload: ${answer.status} ${answer.bytes.toString()}`);
    const [status] = answer.json<{ status: [UploadStatus] }>().status;
    return status;
  }

  /** Rows of a statement. @throws when the answer is not 200. */
  async sql<Row = Record<string, unknown>>(statement: string): Promise<Row[]> {
    const answer = await this.call('sql', { body: statement });
    if (answer.status !== 200) throw new Error(`sql: ${answer.status} ${answer.bytes.toString()}`);
    return answer.json<Row[]>();
  }

  async count(stream: string): Promise<number> {
    const [row] = await this.sql<{ n: number }>(`SELECT count() AS n FROM \`${stream}\``);
    return row?.n ?? 0;
  }
}
