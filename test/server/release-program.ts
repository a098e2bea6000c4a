import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

const root = join(import.meta.dirname, '../..');
const releases = join(root, 'test/fixtures/releases');
const NAME = /^program-(\d+\.\d+\.\d+)\.tar\.br$/;
const BYTES_MAX = 2 ** 28;
/** The server runs without these: programs of their own, pages, and maps to the sources. */
const LEFT_OUT = [
  ...['dist/apps/cli', 'dist/apps/console', 'dist/apps/edge', 'dist/libs/query/graphiql'],
  ...['dist/.build-stamp', 'dist/.compile-cache', '*.map', '*.d.mts'],
];

const kept = (): readonly string[] => readdirSync(releases).filter((name) => NAME.test(name));

/**
 * Keeps what was built as the program of a release, in place of that of the release before.
 * @returns the file
 */
export function keepProgram(version: string): string {
  const excluded = LEFT_OUT.map((name) => `--exclude=${name}`);
  // One build makes one file, whenever it is packed.
  const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0'];
  const tar = execFileSync(
    'tar',
    ['-C', root, ...same, ...excluded, '-c', 'package.json', 'dist/apps', 'dist/libs'],
    { maxBuffer: BYTES_MAX },
  );
  for (const name of kept()) rmSync(join(releases, name));
  const file = join(releases, `program-${version}.tar.br`);
  const params = {
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: tar.length,
  };
  writeFileSync(file, brotliCompressSync(tar, { params }));
  return file;
}

export interface ReleaseProgram {
  readonly version: string;
  /** The file of the API's program. */
  readonly main: string;
}

/**
 * Unpacks the program of the last release, which runs with the packages that are installed here.
 * @param folder absolute; is made
 */
export function openProgram(folder: string): ReleaseProgram {
  const [name = '', ...others] = kept();
  const version = NAME.exec(name)?.[1];
  if (version === undefined || others.length > 0)
    throw new Error(`${releases} has to have the program of one release`);
  mkdirSync(folder, { recursive: true });
  const input = brotliDecompressSync(readFileSync(join(releases, name)));
  execFileSync('tar', ['-C', folder, '-x'], { input });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return { version, main: join(folder, 'dist/apps/api/main.js') };
}
