import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { HELP, readArguments, UPLOAD_HELP, type UploadArguments } from './arguments.js';
import { BegunUploads, findSources, type Source } from './begun-uploads.js';
import { credentialsOf, type KnownCredentials } from './credentials.js';
import { CliError, EXIT } from './exit-code.js';
import type { SourceFile } from './find-files.js';
import { Progress } from './progress.js';
import { SliceSender } from './send-slice.js';
import { uploadFiles, type UploadSum } from './upload.js';

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
  const found = await findSources(wanted);
  const credentials = await credentialsOf(known, wanted.user, wanted.from.includes('-'));
  const { sources, forget } = await withoutPipes(found);
  const uploads = await BegunUploads.begin(wanted, sources);
  const { files } = uploads;
  const progress = new Progress(totalOf(files));
  const stop = stopOnSignal(progress);
  if (uploads.resumed)
    progress.tell('going on with an upload that broke off: nothing is stored twice');
  const target = { ...wanted, ...credentials };
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
    if (stop.aborted && sum.whole < files.length)
      throw new CliError(EXIT.interrupted, `interrupted: ${taken(sum, files.length)}; run it again to go on`); // prettier-ignore
    await uploads.end();
    return report(wanted.stream, sum, (performance.now() - started) / 1000);
  } catch (error) {
    if (!sender.mayHaveStored) await uploads.endNew();
    throw error;
  } finally {
    progress.end();
    sender.close();
    await forget();
  }
}

const countsOf = ({ stored, rejected }: UploadSum): string =>
  `${stored.toLocaleString('en')} stored, ${rejected.toLocaleString('en')} rejected`;

/** Says how much the server has when the command is interrupted. */
const taken = (sum: UploadSum, files: number): string =>
  files === 1 ? countsOf(sum) : `${countsOf(sum)}, ${sum.whole} of ${files} files are whole`;

function report(stream: string, sum: UploadSum, seconds: number): number {
  const { rejected, reason } = sum;
  console.log(`${stream}: ${countsOf(sum)} in ${seconds.toFixed(1)} s`);
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
  readonly sources: readonly Source[];
  /** Removes the files that were kept. */
  readonly forget: () => Promise<void>;
}

/**
 * A file that is sent whole is read twice, and more often when it is sent again, so a pipe is kept
 * in a file first.
 */
async function withoutPipes(sources: readonly Source[]): Promise<Kept> {
  const file = sources[0]?.files[0];
  if (file?.path !== '-' || file.format === 'ndjson' || file.format === 'csv')
    return { sources, forget: () => Promise.resolve() };
  const folder = await mkdtemp(join(tmpdir(), 'millrace-upload-'));
  const path = join(folder, 'stdin');
  await pipeline(process.stdin, createWriteStream(path));
  const { size } = await stat(path);
  return {
    sources: [{ from: '-', files: [{ ...file, path, size }] }],
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
