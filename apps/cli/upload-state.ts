import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { UploadArguments } from './arguments.js';
import { usageError } from './exit-code.js';

const HOUR_MS = 60 * 60 * 1000;
/** The server remembers for 24 hours what it has stored; the last slice may be under way for one. */
const RESUMABLE_MS = 23 * HOUR_MS;

interface KeptUpload {
  readonly uploadId: string;
  /** Milliseconds since the epoch. */
  readonly begun: number;
}

/**
 * The state of an upload that has begun and has not ended, in a file of its own. The file holds
 * only a name. The server knows which slices are stored, by keys made of that name and of each
 * slice's content. The file is deleted when the upload ends, so that the same command uploads anew.
 */
export class UploadState {
  private constructor(
    readonly uploadId: string,
    readonly resumed: boolean,
    private readonly file: string,
  ) {}

  /** @throws {CliError} when it began too long ago for the server to remember, or its name cannot be kept */
  static async begin(
    { url, org, stream, format }: UploadArguments,
    from: string,
  ): Promise<UploadState> {
    const path = from === '-' ? from : resolve(from);
    const name = createHash('sha256')
      .update(JSON.stringify([path, url.href, org, stream, format ?? '']))
      .digest('hex');
    const folder = join(homedir(), '.millrace', 'uploads');
    const file = join(folder, `${name}.json`);
    const kept = await read(file);
    if (!kept) {
      const uploadId = randomUUID();
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const state = JSON.stringify({ uploadId, begun: Date.now(), from: path, stream });
        await writeFile(file, state, { mode: 0o600 });
      } catch (error) {
        throw usageError(
          `an upload's name is kept in ${folder}, which cannot be written to (${(error as NodeJS.ErrnoException).code}); set HOME to a folder that can`,
        );
      }
      return new UploadState(uploadId, false, file);
    }
    if (Date.now() - kept.begun > RESUMABLE_MS)
      throw usageError(
        `this upload broke off on ${new Date(kept.begun).toISOString()}, too long ago to go on: the server has forgotten which slices it stored.` +
          ` See what is there, remove ${file}, and upload what is missing`,
      );
    return new UploadState(kept.uploadId, true, file);
  }

  /** Everything is stored. */
  async end(): Promise<void> {
    await rm(this.file, { force: true });
  }
}

async function read(file: string): Promise<KeptUpload | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as KeptUpload;
  } catch {
    // The file is missing, or a crash cut it off while it was written. In both cases no slice had
    // been sent.
    return undefined;
  }
}
