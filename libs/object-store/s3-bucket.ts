import { openAsBlob } from 'node:fs';
import { AwsClient } from 'aws4fetch';
import { XMLParser } from 'fast-xml-parser';
import { z } from 'zod';
import type { S3Access } from './s3.settings.js';

export interface S3Place {
  readonly bucket: string;
  /** The path of a folder, without `/` at its ends. */
  readonly prefix: string;
}

const TIMEOUT_MS = 300_000;
const RETRIES = 3;
const MIB = 1024 ** 2;
/** A larger file is sent in parts of this size. S3 takes 5 GiB in one request and 10,000 parts of a file. */
const PART_BYTES = 64 * MIB;
const TOO_MANY = 429;
const SERVER_ERROR = 500;

const listing = z.object({
  ListBucketResult: z.object({
    Contents: z.array(z.object({ Key: z.string() })).default([]),
    NextContinuationToken: z.string().optional(),
  }),
});
const begun = z.object({ InitiateMultipartUploadResult: z.object({ UploadId: z.string() }) });
/** S3 answers 200 before it knows whether the parts become a file. */
const completed = z.object({ CompleteMultipartUploadResult: z.unknown() });

/** The store cannot be reached, or it refuses. */
export class BucketError extends Error {
  /** @param status of the answer; undefined: there was none */
  constructor(
    readonly status: number | undefined,
    cause?: unknown,
  ) {
    const reason = cause === undefined ? '' : ` (${reasonOf(cause)})`;
    super((status === undefined ? 'it cannot be reached' : `it answers ${status}`) + reason, {
      cause,
    });
    this.name = 'BucketError';
  }

  /** Tells whether a later request may succeed. */
  get isTemporary(): boolean {
    return this.status === undefined || this.status >= SERVER_ERROR || this.status === TOO_MANY;
  }
}

/** A bucket of S3, or of a compatible store. Temporary failures are tried again a few times. */
export class S3Bucket {
  private readonly client: AwsClient;
  private readonly base: string;
  private readonly parser = new XMLParser({
    parseTagValue: false,
    // Without it, an apostrophe in a key is read as its character reference.
    htmlEntities: true,
    isArray: (name) => name === 'Contents',
  });

  constructor(access: S3Access, bucket: string) {
    const { endpoint, accessKeyId, secretAccessKey, sessionToken, region } = access;
    this.base = endpoint
      ? `${endpoint}/${bucket}/`
      : `https://${bucket}.s3.${region}.amazonaws.com/`;
    this.client = new AwsClient({
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
      region,
      service: 's3',
      retries: RETRIES,
    });
  }

  /**
   * Lists keys that begin with `prefix`.
   * @param delimiter keys that have it after the prefix are left out
   * @returns undefined when the bucket does not exist
   * @throws {BucketError}
   */
  async list(prefix: string, delimiter?: string): Promise<readonly string[] | undefined> {
    const keys: string[] = [];
    let token: string | undefined;
    do {
      const query = new URLSearchParams({ 'list-type': '2', prefix });
      if (delimiter !== undefined) query.set('delimiter', delimiter);
      if (token !== undefined) query.set('continuation-token', token);
      const answer = await this.ask(`?${query.toString()}`);
      if (!answer) return undefined;
      const { ListBucketResult: page } = this.understood(listing, await answer.text());
      keys.push(...page.Contents.map(({ Key }) => Key));
      token = page.NextContinuationToken;
    } while (token !== undefined);
    return keys;
  }

  /** @returns undefined when the key does not exist @throws {BucketError} */
  get(key: string): Promise<Response | undefined> {
    return this.ask(pathOf(key));
  }

  /** Stores a file, completely or not at all. @throws {BucketError} */
  async put(key: string, file: string): Promise<void> {
    const content = await openAsBlob(file);
    if (content.size > PART_BYTES) return this.putInParts(pathOf(key), content);
    await this.change(pathOf(key), { method: 'PUT', body: content });
  }

  private async putInParts(path: string, content: Blob): Promise<void> {
    const answer = await this.change(`${path}?uploads`, { method: 'POST' });
    const { InitiateMultipartUploadResult: upload } = this.understood(begun, answer.text);
    const id = encodeURIComponent(upload.UploadId);
    try {
      const parts: string[] = [];
      for (let from = 0; from < content.size; from += PART_BYTES) {
        const number = parts.length + 1;
        const body = content.slice(from, from + PART_BYTES);
        const sent = `${path}?partNumber=${number}&uploadId=${id}`;
        const { tag } = await this.change(sent, { method: 'PUT', body });
        if (tag === null) throw new BucketError(200, new Error('it gives no ETag of a part'));
        parts.push(`<Part><PartNumber>${number}</PartNumber><ETag>${tag}</ETag></Part>`);
      }
      const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
      const { text } = await this.change(`${path}?uploadId=${id}`, { method: 'POST', body });
      this.understood(completed, text);
    } catch (error) {
      // Parts that nobody completes are kept, and paid for.
      await this.change(`${path}?uploadId=${id}`, { method: 'DELETE' }).catch(() => undefined);
      throw error;
    }
  }

  /** @throws {BucketError} when the text is not an answer of S3 in this form */
  private understood<T>(form: z.ZodType<T>, text: string): T {
    try {
      return form.parse(this.parser.parse(text));
    } catch {
      throw new BucketError(200, new Error('it is no answer of S3'));
    }
  }

  private async change(
    path: string,
    request: RequestInit,
  ): Promise<{ readonly text: string; readonly tag: string | null }> {
    const answer = await this.ask(path, request);
    if (!answer) throw new BucketError(404);
    return { text: await answer.text(), tag: answer.headers.get('etag') };
  }

  /** @returns undefined when the object does not exist */
  private async ask(path: string, request: RequestInit = {}): Promise<Response | undefined> {
    const answer = await this.client
      .fetch(`${this.base}${path}`, {
        ...request,
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      .catch((error: unknown) => {
        throw new BucketError(undefined, error);
      });
    if (answer.ok) return answer;
    await answer.body?.cancel();
    if (answer.status === 404) return undefined;
    throw new BucketError(answer.status);
  }
}

const pathOf = (key: string): string => key.split('/').map(encodeURIComponent).join('/');

/** `fetch` says "fetch failed", and why in its cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { readonly message?: string; readonly cause?: unknown };
  return cause === undefined ? (message ?? String(error)) : reasonOf(cause);
}
