import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Keys that the double knows. */
export const KEYS = { accessKeyId: 'DOUBLE', secretAccessKey: 'double/Secret+1' };
export const REGION = 'eu-test-1';
const KEYS_A_PAGE = 3;

export interface S3Double {
  readonly endpoint: string;
  /** Every request that came, in order. */
  readonly requests: readonly string[];
  /** From now on every answer is this status; undefined: what it should be. */
  fail(status: number | undefined): void;
  stop(): Promise<void>;
}

/**
 * Speaks as much of S3's protocol as reading takes: ListObjectsV2, a few keys a page, and
 * GetObject, path style. Signatures (version 4) are computed here anew from what arrived; a wrong
 * one is a 403.
 * @param objects content by `<bucket>/<key>`.
 */
export async function startS3Double(objects: ReadonlyMap<string, Buffer>): Promise<S3Double> {
  const requests: string[] = [];
  let failure: number | undefined;
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    if (failure !== undefined) answerError(response, failure, 'Failure');
    else if (!isSigned(request)) answerError(response, 403, 'SignatureDoesNotMatch');
    else answer(request, response, objects);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    fail: (status) => (failure = status),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  objects: ReadonlyMap<string, Buffer>,
): void {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://s3');
  const path = decodeURIComponent(pathname.slice(1));
  if (searchParams.get('list-type') === '2') {
    list(response, path.replace(/\/$/, ''), searchParams, [...objects.keys()].sort());
    return;
  }
  const content = objects.get(path);
  if (content) response.end(content);
  else answerError(response, 404, 'NoSuchKey');
}

function list(
  response: ServerResponse,
  bucket: string,
  query: URLSearchParams,
  objects: readonly string[],
): void {
  const prefix = `${bucket}/${query.get('prefix') ?? ''}`;
  const delimiter = query.get('delimiter') ?? '\0';
  const keys = objects
    .filter((key) => key.startsWith(prefix) && !key.slice(prefix.length).includes(delimiter))
    .map((key) => key.slice(bucket.length + 1));
  const from = Number(query.get('continuation-token') ?? 0);
  const page = keys.slice(from, from + KEYS_A_PAGE);
  const next = from + KEYS_A_PAGE;
  const more = next < keys.length;
  const contents = page.map((key) => `<Contents><Key>${escape(key)}</Key></Contents>`).join('');
  response.setHeader('content-type', 'application/xml');
  response.end(
    `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><IsTruncated>${more}</IsTruncated>${contents}` +
      `${more ? `<NextContinuationToken>${next}</NextContinuationToken>` : ''}</ListBucketResult>`,
  );
}

const escape = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

function answerError(response: ServerResponse, status: number, code: string): void {
  response.statusCode = status;
  response.end(`<Error><Code>${code}</Code></Error>`);
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

function isSigned({ method, url, headers }: IncomingMessage): boolean {
  const match = AUTHORIZATION.exec(headers.authorization ?? '');
  if (!match) return false;
  const [, id, day = '', region, signed = '', signature] = match;
  if (id !== KEYS.accessKeyId || region !== REGION) return false;
  const { pathname, search } = new URL(url ?? '', 'http://s3');
  const query = search
    .slice(1)
    .split('&')
    .filter((each) => each !== '')
    .map((each) => each.split('=').map(reencode).join('='))
    .sort()
    .join('&');
  const canonical = [
    method,
    pathname.split('/').map(reencode).join('/'),
    query,
    ...signed.split(';').map((name) => `${name}:${String(headers[name] ?? '').trim()}`),
    '',
    signed,
    headers['x-amz-content-sha256'],
  ].join('\n');
  const scope = `${day}/${REGION}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = [day, REGION, 's3', 'aws4_request'].reduce<Buffer | string>(
    (previous, part) => createHmac('sha256', previous).update(part).digest(),
    `AWS4${KEYS.secretAccessKey}`,
  );
  return createHmac('sha256', key).update(toSign).digest('hex') === signature;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Encodes as the signature wants it: everything but letters, digits and `-._~` as bytes. */
function reencode(text: string): string {
  return encodeURIComponent(decodeURIComponent(text.replace(/\+/g, '%20'))).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
