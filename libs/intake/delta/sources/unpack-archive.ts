import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { fromFdPromise } from 'yauzl';
import { MillraceError } from '@app/platform';
import { TableBytes, type TableBytesOptions } from './table-bytes.js';

/** The files of an archive, by their path in it, with their place on disk and their size. */
export type Unpacked = ReadonlyMap<string, { readonly file: string; readonly bytes: number }>;

interface UnpackOptions extends TableBytesOptions {
  /** Files get names of our own here, so that the names in the archive cannot lead anywhere. */
  readonly directory: string;
}

const ENTRIES_MAX = 100_000;
/** All names are held in memory, and an archive compresses long names well. */
const PATH_LENGTH_MAX = 1024;
const GZIP = Buffer.from([0x1f, 0x8b]);
const ZIP = Buffer.from('PK');
const TAR = Buffer.from('ustar');
const TAR_AT = 257;

/**
 * Unpacks a tar, tar.gz or zip, told apart by their first bytes.
 * @throws {MillraceError} MALFORMED_BODY when the file is no archive, is broken, or has entries
 * that no table has: links, paths out of the archive, a file twice. UPLOAD_TOO_LARGE when its
 * content is too large; DISK_FULL, QUEUE_FULL.
 */
export async function unpackArchive(archive: string, options: UnpackOptions): Promise<Unpacked> {
  const head = await headOf(archive);
  const target = new Target(options);
  try {
    if (head.subarray(0, ZIP.length).equals(ZIP)) await unzip(archive, target);
    else if (head.subarray(0, GZIP.length).equals(GZIP))
      await untar(createReadStream(archive), [createGunzip()], target);
    else if (head.subarray(TAR_AT, TAR_AT + TAR.length).equals(TAR))
      await untar(createReadStream(archive), [], target);
    else throw broken('it is no tar, no tar.gz and no zip');
  } catch (error) {
    if (error instanceof MillraceError || isSystemError(error)) throw error;
    throw broken((error as Error).message, error);
  }
  return target.files;
}

/** These are failures of the disk, not of the archive. */
const isSystemError = (error: unknown): boolean =>
  typeof (error as NodeJS.ErrnoException).syscall === 'string';

const broken = (reason: string, cause?: unknown): MillraceError =>
  new MillraceError(
    'MALFORMED_BODY',
    `broken archive: ${reason}; send a tar, tar.gz or zip of one Delta table's folder`,
    { cause },
  );

async function headOf(archive: string): Promise<Buffer> {
  const handle = await open(archive);
  try {
    const head = Buffer.alloc(TAR_AT + TAR.length);
    const { bytesRead } = await handle.read(head, 0, head.length, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

class Target {
  readonly files = new Map<string, { file: string; bytes: number }>();
  private readonly bytes: TableBytes;

  constructor(private readonly options: UnpackOptions) {
    this.bytes = new TableBytes(options, tooLarge);
  }

  async write(entry: string, content: AsyncIterable<Buffer>): Promise<void> {
    const path = pathOf(entry);
    if (this.files.has(path)) throw broken(`${JSON.stringify(path)} is in it twice`);
    if (this.files.size >= ENTRIES_MAX) throw broken(`it has more than ${ENTRIES_MAX} files`);
    const placed = { file: join(this.options.directory, `${this.files.size}.parquet`), bytes: 0 };
    this.files.set(path, placed);
    placed.bytes = await this.bytes.write(placed.file, content);
  }
}

const tooLarge = (maxBytes: number): MillraceError =>
  new MillraceError(
    'UPLOAD_TOO_LARGE',
    `an upload may have at most ${maxBytes} bytes when unpacked; split it`,
  );

function pathOf(entry: string): string {
  if (entry.length > PATH_LENGTH_MAX)
    throw broken(`a path in it is longer than ${PATH_LENGTH_MAX} characters`);
  const segments = entry.split('/').filter((segment) => segment !== '.' && segment !== '');
  if (entry.startsWith('/') || /[\\\0]|^[A-Za-z]:/.test(entry) || segments.includes('..'))
    throw broken(`${JSON.stringify(entry)} leads out of it`);
  return segments.join('/');
}

async function untar(
  source: Readable,
  through: readonly Transform[],
  target: Target,
): Promise<void> {
  const entries = extract();
  const flowing = pipeline([source, ...through, entries as unknown as Writable]);
  // The failure is reported where the entries are read. It must not count as unhandled besides.
  flowing.catch(() => undefined);
  for await (const entry of entries) {
    const { name, type } = entry.header;
    if (type === 'file' || type === 'contiguous-file')
      await target.write(name, entry as AsyncIterable<Buffer>);
    else if (type === 'directory') entry.resume();
    else throw broken(`${JSON.stringify(name)} is a ${type ?? 'special file'}`);
  }
  await flowing;
}

const UNIX_TYPE = 0o170000;
const UNIX_FILE = 0o100000;
const UNIX_FOLDER = 0o040000;

async function unzip(archive: string, target: Target): Promise<void> {
  const handle = await open(archive);
  try {
    const zip = await fromFdPromise(handle.fd, { autoClose: false });
    for await (const entry of zip.eachEntry()) {
      const name = entry.fileName;
      const type = (entry.externalFileAttributes >>> 16) & UNIX_TYPE;
      if (name.endsWith('/') || type === UNIX_FOLDER) continue;
      if (type !== 0 && type !== UNIX_FILE)
        throw broken(`${JSON.stringify(name)} is a link or special`);
      if (entry.isEncrypted()) throw broken(`${JSON.stringify(name)} is encrypted`);
      await target.write(name, (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>);
    }
  } finally {
    await handle.close();
  }
}
