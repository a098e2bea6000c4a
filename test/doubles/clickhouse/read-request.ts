import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Busboy } from '@fastify/busboy';
import { decompress as unzstd } from '@cloudpss/zstd/napi';
import { DoubleError } from './double-error.js';

/** One request of ClickHouse's HTTP interface, read. */
export interface DoubleRequest {
  readonly statement: string;
  /** An INSERT reads this file. Its ending names its compression. */
  readonly dataFile: string | undefined;
  readonly settings: ReadonlyMap<string, string>;
  /** These are the values of `{name:Type}` placeholders, escaped as in TSV. */
  readonly params: ReadonlyMap<string, string>;
  readonly database: string | undefined;
  readonly sessionId: string | undefined;
  /** The statement runs with the rights of this role. */
  readonly role: string | undefined;
  readonly format: string;
}

const NOT_SETTINGS = new Set([
  'query',
  'query_id',
  'database',
  'user',
  'password',
  'quota_key',
  'session_id',
  'session_timeout',
  'session_check',
  'close_session',
  'default_format',
  'compress',
  'decompress',
  'role',
]);
const TAKES_DATA = /^\s*INSERT\b[^]*\bFORMAT\s+\w+\s*$/i;
/** Separates the statement from the data in a body that has both. */
const BEFORE_DATA = [' FORMAT Native\n', ' FORMAT JSONCompactEachRow\n'];
/** The server's `http_max_field_value_size`. */
const FIELD_BYTES_MAX = 128 * 1024;
const ENDINGS: Readonly<Record<string, string>> = { gzip: '.gz', deflate: '.deflate', zstd: '.zst', br: '.br' }; // prettier-ignore

const queryOf = (url: URL): string => url.searchParams.get('query') ?? '';
export const idOf = (url: URL): string | undefined => url.searchParams.get('query_id') ?? undefined;

export async function readRequest(
  request: IncomingMessage,
  url: URL,
  spool: string,
): Promise<DoubleRequest> {
  const fields = new Map(url.searchParams);
  for (const value of fields.values())
    if (Buffer.byteLength(value) >= FIELD_BYTES_MAX)
      throw new DoubleError(1000, 'POCO_EXCEPTION', 'HTML Form Exception: Field value too long');
  if (fields.get('decompress') === '1')
    throw new DoubleError(48, 'NOT_IMPLEMENTED', 'the double knows no decompress=1');
  let statement = queryOf(url);
  let dataFile: string | undefined;
  if (request.method === 'POST') {
    if (/^multipart\/form-data/.test(request.headers['content-type'] ?? '')) {
      for (const [name, value] of await form(request)) fields.set(name, value);
      statement += fields.get('query') ?? '';
    } else if (TAKES_DATA.test(statement)) dataFile = await spooled(request, spool);
    else {
      const body = await decoded(request);
      const end = statement === '' ? dataStart(body) : undefined;
      if (end !== undefined) await writeFile((dataFile = spool), body.subarray(end));
      const text = body.subarray(0, end).toString('utf8');
      statement = statement === '' ? text : `${statement}\n${text}`;
    }
  }
  const settings = new Map<string, string>();
  const params = new Map<string, string>();
  for (const [name, value] of fields) {
    if (name.startsWith('param_')) params.set(name.slice('param_'.length), value);
    else if (!NOT_SETTINGS.has(name)) settings.set(name, value);
  }
  // A GET changes nothing.
  if (request.method === 'GET' && (settings.get('readonly') ?? '0') === '0')
    settings.set('readonly', '2');
  return {
    statement,
    dataFile,
    settings,
    params,
    database: fields.get('database') ?? header(request, 'x-clickhouse-database'),
    sessionId: fields.get('session_id'),
    role: fields.get('role'),
    format:
      fields.get('default_format') ?? header(request, 'x-clickhouse-format') ?? 'TabSeparated',
  };
}

export function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

/** Writes the body to a file as it comes; the engine reads compressed files itself. */
async function spooled(request: IncomingMessage, file: string): Promise<string> {
  const encoding = header(request, 'content-encoding');
  const path = `${file}${encoding === undefined ? '' : (ENDINGS[encoding] ?? '')}`;
  await pipeline(request, createWriteStream(path));
  return path;
}

/**
 * Finds where the data of an INSERT begins in a body that has both. It is undefined where there is
 * no data.
 */
function dataStart(body: Buffer): number | undefined {
  if (!/^\s*INSERT\b/i.test(body.subarray(0, 100).toString('latin1'))) return undefined;
  for (const before of BEFORE_DATA) {
    const found = body.indexOf(before);
    if (found !== -1) return found + before.length;
  }
  return undefined;
}

async function decoded(request: IncomingMessage): Promise<Buffer> {
  const encoding = header(request, 'content-encoding');
  if (encoding === 'zstd') return Buffer.from(unzstd(await buffer(request)));
  const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
    gzip: createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  };
  const decoder = encoding === undefined ? undefined : decoders[encoding]?.();
  return buffer((decoder ? request.pipe(decoder) : request) as Readable);
}

async function form(request: IncomingMessage): Promise<Map<string, string>> {
  const fields = new Map<string, string>();
  const busboy = new Busboy({
    headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' },
    limits: { fieldSize: 64 * 1024 * 1024 },
  });
  busboy.on('field', (name: string, value: string) => fields.set(name, value));
  await pipeline(request, busboy);
  return fields;
}

export const spoolName = (directory: string, id: string): string =>
  join(directory, id.replace(/[^\w-]/g, '_'));
