import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { BucketError, S3Bucket, type S3Place, type S3Access } from '@app/object-store';
import { MillraceError } from '@app/platform';
import { TableBytes, tableTooLarge, type TableBytesOptions } from './table-bytes.js';
import { brokenTable, LOG, type LocalCopy, type TableFolder } from './table-folder.js';

const RETRY_AFTER_SECONDS = 10;

/**
 * A table in S3, or in a compatible store. Files are fetched when they are read, and deleted
 * afterwards.
 */
export class S3Folder implements TableFolder {
  private readonly bucket: S3Bucket;
  private fetched = 0;
  private readonly bytes: TableBytes;

  /** @param options `directory`: for files being read. */
  constructor(
    access: S3Access,
    private readonly place: S3Place,
    private readonly options: TableBytesOptions & { readonly directory: string },
  ) {
    this.bucket = new S3Bucket(access, place.bucket);
    this.bytes = new TableBytes(options, tableTooLarge);
  }

  async logNames(): Promise<readonly string[]> {
    const prefix = this.keyOf(`${LOG}/`);
    const keys = await this.bucket.list(prefix, '/').catch(failed);
    if (!keys) throw brokenTable('there is no such bucket');
    return keys.map((key) => key.slice(prefix.length));
  }

  async fetch(path: string): Promise<LocalCopy | undefined> {
    const answer = await this.bucket.get(this.keyOf(path)).catch(failed);
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
}

function failed(error: unknown): never {
  if (!(error instanceof BucketError)) throw error;
  if (error.isTemporary) throw unreachable(error);
  throw brokenTable(
    `its storage answers ${error.status ?? 'nothing'}; the server's operator may know why`,
  );
}

const unreachable = (cause: unknown): MillraceError =>
  new MillraceError('NOT_READY', "the table's storage cannot be reached; nothing was stored", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
