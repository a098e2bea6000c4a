import { resolve } from 'node:path';
import type { UploadArguments } from './arguments.js';
import { usageError } from './exit-code.js';
import { findFiles, type SourceFile } from './find-files.js';
import { UploadState } from './upload-state.js';

/** A path of the command, with its files. */
export interface Source {
  readonly from: string;
  readonly files: readonly SourceFile[];
}

/** A file with the name of the upload that it belongs to. */
export interface UploadedFile extends SourceFile {
  readonly uploadId: string;
}

/**
 * The files of all paths, in the order of the paths.
 * @throws {CliError} where one cannot be uploaded, or stands there twice
 */
export async function findSources({ from, format }: UploadArguments): Promise<readonly Source[]> {
  const sources: Source[] = [];
  for (const path of from) sources.push({ from: path, files: await findFiles(path, format) });
  const seen = new Set<string>();
  for (const { path } of sources.flatMap(({ files }) => files)) {
    const whole = resolve(path);
    if (seen.has(whole)) throw usageError(`${path}: it is named twice`);
    seen.add(whole);
  }
  return sources;
}

/**
 * An upload for each path, as if each were uploaded by a command of its own: so the command goes on
 * where it broke off although it is given more paths, or fewer, than before.
 */
export class BegunUploads {
  private constructor(
    private readonly states: readonly UploadState[],
    readonly files: readonly UploadedFile[],
  ) {}

  /** @throws {CliError} where one began too long ago to go on */
  static async begin(wanted: UploadArguments, sources: readonly Source[]): Promise<BegunUploads> {
    const states: UploadState[] = [];
    const files: UploadedFile[] = [];
    try {
      for (const { from, files: own } of sources) {
        const state = await UploadState.begin(wanted, from);
        states.push(state);
        for (const file of own) files.push({ ...file, uploadId: state.uploadId });
      }
    } catch (error) {
      await new BegunUploads(states, files).endNew();
      throw error;
    }
    return new BegunUploads(states, files);
  }

  get resumed(): boolean {
    return this.states.some(({ resumed }) => resumed);
  }

  /** Everything is stored. */
  async end(): Promise<void> {
    for (const state of this.states) await state.end();
  }

  /** Nothing was sent, so those that this command has begun are forgotten. */
  async endNew(): Promise<void> {
    for (const state of this.states) if (!state.resumed) await state.end();
  }
}
