import { createWriteStream, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type IngestQueue, whyNoRoom } from '@app/ingest-queue';
import { diskFull, MillraceError } from '@app/platform';
import { isOutOfSpace } from '@app/acceptance';

const CHECK_FREE_BYTES = 16 * 1024 * 1024;
const RETRY_AFTER_SECONDS = 5;

/** The bytes that one piece of work has written to its folder. */
interface Use {
  readonly owner: string;
  bytes: number;
  /** The bytes that had been written when the disk was last measured. */
  checked: number;
}

/** The room for the files in one folder. */
export interface SpoolRoom {
  /**
   * Reserves so many further bytes.
   * @throws {MillraceError} DISK_FULL, QUEUE_FULL when there is no room for them
   */
  take(bytes: number): Promise<void>;
  /** Releases so many deleted bytes. */
  give(bytes: number): void;
}

interface SpoolOptions {
  readonly minFreeBytes: number;
  /** Gives the free bytes of the disk that a path is on. */
  readonly freeBytes?: (path: string) => Promise<number>;
  /** The queue that takes what was accepted; undefined: all of it is compressed. */
  readonly queue?: Pick<IngestQueue, 'plainBytesMax'>;
}

/** For fewer bytes their compression takes a few milliseconds at most. */
const PLAIN_BYTES = 1024 * 1024;

/** Within this time, small uploads need far less than the room that must stay free. */
const FREE_MS = 100;

/**
 * The folder for bodies that are not accepted yet. Nothing in it is needed after the process ends,
 * because the queue has the accepted records.
 */
export class Spool {
  private readonly uses = new Map<string, Use>();
  /**
   * Until this time of `performance.now()`, small uploads are admitted without measuring the disk.
   */
  private freeUntil = 0;

  constructor(
    private readonly directory: string,
    private readonly options: SpoolOptions,
  ) {
    mkdirSync(directory, { recursive: true });
    // The folder itself stays, because the engine that reads uploads has opened it and would not
    // see a new one.
    for (const each of readdirSync(directory))
      rmSync(join(directory, each), { recursive: true, force: true });
  }

  /** Tells whether a batch of so many bytes goes on the queue without compression. */
  staysPlain(bytes: number): boolean {
    if (bytes < PLAIN_BYTES) return false;
    const most = this.options.queue?.plainBytesMax() ?? 0;
    return bytes <= most && writtenBy([...this.uses.values()]) <= most;
  }

  /** A folder that stays for as long as the process runs. */
  folder(name: string): string {
    const path = join(this.directory, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  /**
   * Runs work with a folder of its own, which is deleted afterwards.
   * @param owner the organization; none gets all of the disk, see {@link check}
   * @throws {MillraceError} DISK_FULL, QUEUE_FULL, before or during the work.
   */
  async use<T>(id: string, owner: string, work: (directory: string) => Promise<T>): Promise<T> {
    const use: Use = { owner, bytes: 0, checked: 0 };
    await this.check(use);
    const directory = join(this.directory, id);
    try {
      this.uses.set(id, use);
      await mkdir(directory);
      return await work(directory);
    } catch (error) {
      if (isOutOfSpace(error)) throw diskFull(error);
      throw error;
    } finally {
      this.uses.delete(id);
      await rm(directory, { recursive: true, force: true });
    }
  }

  /**
   * Passes pieces on into a folder in use, as long as there is room for them.
   * @throws {MillraceError} DISK_FULL, QUEUE_FULL
   */
  async *counted<Piece>(
    id: string,
    pieces: AsyncIterable<Piece>,
    bytesOf: (piece: Piece) => number,
  ): AsyncIterable<Piece> {
    const room = this.room(id);
    for await (const piece of pieces) {
      await room.take(bytesOf(piece));
      yield piece;
    }
  }

  /** The room of a folder in use. */
  room(id: string): SpoolRoom {
    const use = this.uses.get(id);
    if (!use) throw new Error(`the spool has no folder ${id}`);
    return {
      take: async (bytes) => {
        use.bytes += bytes;
        if (use.bytes - use.checked <= CHECK_FREE_BYTES) return;
        use.checked = use.bytes;
        await this.check(use);
      },
      give: (bytes) => {
        use.bytes -= bytes;
        use.checked = Math.min(use.checked, use.bytes);
      },
    };
  }

  /**
   * Writes a body to a file in a folder in use.
   * @throws {MillraceError} DISK_FULL, QUEUE_FULL; EMPTY_BODY when there is nothing to write.
   */
  async write(id: string, file: string, body: AsyncIterable<Buffer>): Promise<void> {
    await pipeline(
      this.counted(id, body, ({ length }) => length),
      createWriteStream(file),
    );
    if (this.uses.get(id)?.bytes === 0)
      throw new MillraceError('EMPTY_BODY', 'the body is empty; send a file');
  }

  /**
   * Must be called for a small upload. It asks the disk at intervals, and not for each upload.
   * @throws {MillraceError} DISK_FULL when less than the configured room is left.
   */
  async checkFree(): Promise<void> {
    const now = performance.now();
    if (now < this.freeUntil) return;
    await this.free();
    this.freeUntil = now + FREE_MS;
  }

  /** Applies the rule of the queue (`whyNoRoom`) to the disk as it is now. */
  private async check(use: Use): Promise<void> {
    const free = await this.free();
    const others = [...this.uses.values()].filter((each) => each !== use);
    const waiting = writtenBy(others);
    const own = writtenBy(others.filter(({ owner }) => owner === use.owner));
    const { bytes } = use;
    if (whyNoRoom({ maxBytes: free + waiting + bytes, waiting, own, bytes }) === 'share')
      throw new MillraceError(
        'QUEUE_FULL',
        'uploads of this organization take as much of the disk as is left for others; nothing of this one was stored; try again later',
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
  }

  /** Gives the number of bytes that may be written. */
  private async free(): Promise<number> {
    const { freeBytes = freeBytesOf, minFreeBytes } = this.options;
    const free = (await freeBytes(this.directory)) - minFreeBytes;
    if (free < 0) throw diskFull();
    return free;
  }
}

const writtenBy = (uses: readonly Use[]): number => uses.reduce((sum, { bytes }) => sum + bytes, 0);

async function freeBytesOf(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}
