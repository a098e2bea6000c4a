import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { AwsClient } from 'aws4fetch';
import { XMLParser } from 'fast-xml-parser';
import { z } from 'zod';
import { MillraceError, type S3Access } from '@app/platform';
import { TableBytes, tableTooLarge, type TableBytesOptions } from './table-bytes.js';
import { brokenTable, LOG, type LocalCopy, type TableFolder } from './table-folder.js';

const TIMEOUT_MS = 300_000;
const RETRIES = 3;
const RETRY_AFTER_SECONDS = 10;

interface S3Place {
  readonly bucket: string;
  /** Of the table's folder, without `/` at its ends. */
  readonly prefix: string;
}

const listing = z.object({
  ListBucketResult: z.object({
    Contents: z.array(z.object({ Key: z.string() })).default([]),
    NextContinuationToken: z.string().optional(),
  }),
});

/** A table in S3, or what speaks like it. Files are fetched when they are read, and gone after it. */
export class S3Folder implements TableFolder {
  private readonly client: AwsClient;
  private readonly parser = new XMLParser({
    parseTagValue: false,
    isArray: (name) => name === 'Contents',
  });
  private fetched = 0;
  private readonly bytes: TableBytes;

  /** @param options `directory`: for files being read. */
  constructor(
    private readonly access: S3Access,
    private readonly place: S3Place,
    private readonly options: TableBytesOptions & { readonly directory: string },
  ) {
    const { accessKeyId, secretAccessKey, sessionToken, region } = access;
    this.client = new AwsClient({
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
      region,
      service: 's3',
      retries: RETRIES,
    });
    this.bytes = new TableBytes(options, tableTooLarge);
  }

  async logNames(): Promise<readonly string[]> {
    const prefix = this.keyOf(`${LOG}/`);
    const names: string[] = [];
    let token: string | undefined;
    do {
      const query = new URLSearchParams({ 'list-type': '2', prefix, delimiter: '/' });
      if (token !== undefined) query.set('continuation-token', token);
      const answer = await this.get(`?${query.toString()}`);
      if (!answer) throw brokenTable('there is no such bucket');
      const { ListBucketResult: page } = listing.parse(this.parser.parse(await answer.text()));
      names.push(...page.Contents.map(({ Key }) => Key.slice(prefix.length)));
      token = page.NextContinuationToken;
    } while (token !== undefined);
    return names;
  }

  async fetch(path: string): Promise<LocalCopy | undefined> {
    const key = this.keyOf(path).split('/').map(encodeURIComponent).join('/');
    const answer = await this.get(key);
    if (!answer) return undefined;
    const file = join(this.options.directory, `fetched-${this.fetched}.parquet`);
    this.fetched += 1;
    const body = Readable.fromWeb(answer.body ?? new Blob([]).stream());
    try {
      const bytes = await this.bytes.write(file, body as AsyncIterable<Buffer>);
      return { file, bytes, release: () => this.release(file, bytes) };
    } catch (error) {
      throw error instanceof TypeError ? unreachable(error) : error;
    }
  }

  private async release(file: string, bytes: number): Promise<void> {
    await unlink(file);
    this.options.room.give(bytes);
  }

  private keyOf(path: string): string {
    return this.place.prefix === '' ? path : `${this.place.prefix}/${path}`;
  }

  /** @returns undefined when there is no such thing. */
  private async get(keyOrQuery: string): Promise<Response | undefined> {
    const { endpoint, region } = this.access;
    const { bucket } = this.place;
    const base = endpoint
      ? `${endpoint}/${bucket}/`
      : `https://${bucket}.s3.${region}.amazonaws.com/`;
    let answer: Response;
    try {
      answer = await this.client.fetch(`${base}${keyOrQuery}`, {
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      throw unreachable(error);
    }
    if (answer.ok) return answer;
    await answer.body?.cancel();
    if (answer.status === 404) return undefined;
    if (answer.status >= 500 || answer.status === 429) throw unreachable(answer.status);
    throw brokenTable(`its storage answers ${answer.status}; the server's operator may know why`);
  }
}

const unreachable = (cause: unknown): MillraceError =>
  new MillraceError('NOT_READY', "the table's storage cannot be reached; nothing was stored", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
