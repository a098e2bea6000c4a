import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { HELP, readArguments, UPLOAD_HELP, type UploadArguments } from './arguments.js';
import { credentialsOf, type KnownCredentials } from './credentials.js';
import { CliError, EXIT } from './exit-code.js';
import { findFiles, type SourceFile } from './find-files.js';
import { Progress } from './progress.js';
import { SliceSender } from './send-slice.js';
import { uploadFiles, type UploadSum } from './upload.js';
import { UploadState } from './upload-state.js';

/** `millrace`, of a version: runs a command. @returns what the process is to end with */
export async function run(
  argv: readonly string[],
  { version, ...known }: KnownCredentials & { readonly version: string },
): Promise<number> {
  try {
    const wanted = readArguments(argv);
    if (typeof wanted === 'object') return await upload(wanted, known);
    const shown = { help: HELP, 'upload help': UPLOAD_HELP, version: `millrace ${version}` };
    console.log(shown[wanted]);
    return EXIT.ok;
  } catch (error) {
    console.error(`millrace: ${(error as Error).message}`);
    if (error instanceof CliError) return error.exitCode;
    return EXIT.usage;
  }
}

async function upload(wanted: UploadArguments, known: KnownCredentials): Promise<number> {
  const found = await findFiles(wanted.from, wanted.format);
  const credentials = await credentialsOf(known, wanted.user, wanted.from);
  const { files, forget } = await withoutPipes(found);
  const state = await UploadState.begin(wanted);
  const progress = new Progress(totalOf(files));
  const stop = stopOnSignal(progress);
  if (state.resumed)
    progress.tell('going on with an upload that broke off: nothing is stored twice');
  const target = { ...wanted, ...credentials, uploadId: state.uploadId };
  const sender = new SliceSender(target, progress, stop);
  const started = performance.now();
  try {
    const sum = await uploadFiles(
      files,
      async (slice) => {
        const outcome = await sender.send(slice);
        progress.slice(slice.bytes, outcome.successful, outcome.failed);
        return outcome;
      },
      stop,
    );
    progress.end();
    if (stop.aborted) throw new CliError(EXIT.interrupted, 'interrupted; run it again to go on');
    await state.end();
    return report(wanted.stream, sum, (performance.now() - started) / 1000);
  } catch (error) {
    if (!sender.mayHaveStored && !state.resumed) await state.end();
    throw error;
  } finally {
    progress.end();
    sender.close();
    await forget();
  }
}

function report(stream: string, { stored, rejected, reason }: UploadSum, seconds: number): number {
  const counts = `${stored.toLocaleString('en')} stored, ${rejected.toLocaleString('en')} rejected`;
  console.log(`${stream}: ${counts} in ${seconds.toFixed(1)} s`);
  if (rejected === 0) return EXIT.ok;
  console.error(`millrace: the first that was rejected: ${reason ?? ''}`);
  return EXIT.rejected;
}

function totalOf(files: readonly SourceFile[]): number {
  const known = files.every(
    ({ size, gzipped, format }) => size !== undefined && (!gzipped || format === 'json'),
  );
  return known ? files.reduce((sum, { size = 0 }) => sum + size, 0) : 0;
}

interface Kept {
  readonly files: readonly SourceFile[];
  /** Removes the files that were kept. */
  readonly forget: () => Promise<void>;
}

/**
 * A file that is sent whole is read twice, and more often when it is sent again, so a pipe is kept
 * in a file first.
 */
async function withoutPipes(files: readonly SourceFile[]): Promise<Kept> {
  const [file] = files;
  if (file?.path !== '-' || file.format === 'ndjson' || file.format === 'csv')
    return { files, forget: () => Promise.resolve() };
  const folder = await mkdtemp(join(tmpdir(), 'millrace-upload-'));
  const path = join(folder, 'stdin');
  await pipeline(process.stdin, createWriteStream(path));
  const { size } = await stat(path);
  return {
    files: [{ ...file, path, size }],
    forget: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The first Ctrl-C lets what is on its way arrive, the second ends at once. */
function stopOnSignal(progress: Progress): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(EXIT.interrupted);
      progress.tell('millrace: stopping when what is on its way has arrived; again to stop now');
      stop.abort();
    });
  return stop.signal;
}
