import { execFile } from 'node:child_process';
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import type { NamedShape, Shape } from './shape.js';

type JsonRecord = Readonly<Record<string, unknown>>;

const ROOT = join(import.meta.dirname, '../..');
const INSTALLED = join(ROOT, 'node_modules');
/** Packages that are fetched for their data stay here. */
const FETCHED = join(ROOT, '.cache/bench-packages');

/** Real records, again and again. */
function repeated(
  key: string,
  records: readonly JsonRecord[],
  isRejected: (record: JsonRecord) => boolean = () => false,
): Shape {
  const lines = records.map((record) => JSON.stringify(record));
  const rejected = records.map(isRejected);
  return {
    key,
    line: (number) => lines[number % lines.length] ?? '',
    isRejected: (number) => rejected[number % lines.length] ?? false,
  };
}

/** A file of a package that is no dependency; undefined when it cannot be had, and why is printed. */
async function fetchedFile(
  name: string,
  version: string,
  path: string,
): Promise<string | undefined> {
  const archive = join(FETCHED, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
  if (!existsSync(archive)) {
    mkdirSync(FETCHED, { recursive: true });
    try {
      const args = ['pack', '--silent', '--pack-destination', FETCHED, `${name}@${version}`];
      await promisify(execFile)('npm', args, { cwd: ROOT, timeout: 120_000 });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      process.stderr.write(`${name}@${version} cannot be had, its shape is left out: ${reason}\n`);
      return undefined;
    }
  }
  let found: string | undefined;
  const files = extract();
  files.on('entry', ({ name: entry }, content, next) => {
    if (entry !== `package/${path}`) content.resume().on('end', next);
    else
      text(content).then((whole) => {
        found = whole;
        next();
      }, next);
  });
  await pipeline(createReadStream(archive), createGunzip(), files);
  if (found === undefined) throw new Error(`${name}@${version} has no ${path}`);
  return found;
}

function fromPackage(
  [name, version, path]: readonly [string, string, string],
  toShape: (content: unknown) => Shape,
): NamedShape {
  return {
    name: `${name}, ${path}`,
    open: async () => {
      const content = await fetchedFile(name, version, path);
      return content === undefined ? undefined : toShape(JSON.parse(content));
    },
  };
}

/** Every feature with what each browser supports of it: objects of three and more levels, with lists and texts in the same places. */
function* features(branch: JsonRecord, path: string): Iterable<JsonRecord> {
  for (const [name, inner] of Object.entries(branch)) {
    const below = path === '' ? name : `${path}/${name}`;
    if (name === '__compat') yield { path, compat: inner };
    else if (name !== '__meta' && typeof inner === 'object' && inner !== null)
      yield* features(inner as JsonRecord, below);
  }
}

/** The messages of the compiler in thirteen languages. */
function messages(): readonly JsonRecord[] {
  const library = join(INSTALLED, 'typescript/lib');
  const file = 'diagnosticMessages.generated.json';
  return readdirSync(library)
    .filter((language) => existsSync(join(library, language, file)))
    .sort()
    .flatMap((language) => {
      const said = JSON.parse(readFileSync(join(library, language, file), 'utf8')) as JsonRecord;
      return Object.entries(said).map(([code, message]) => ({ language, code, message }));
    });
}

/**
 * Reads the lockfile's entry of each package. Few records have all fields, and some objects have
 * names of packages as keys.
 */
function lockedPackages(): readonly JsonRecord[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, JsonRecord>>;
  };
  return Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, locked]) => ({ path, locked }));
}

const VEGA = ['vega-datasets', '3.2.1'] as const;

export const PACKAGE_SHAPES: readonly NamedShape[] = [
  {
    name: 'typescript, messages in 13 languages',
    open: () => Promise.resolve(repeated('code', messages())),
  },
  {
    name: 'package-lock.json, its packages',
    open: () => Promise.resolve(repeated('path', lockedPackages())),
  },
  fromPackage(['emoji-datasource', '16.0.0', 'emoji.json'], (emoji) =>
    repeated('unified', emoji as JsonRecord[]),
  ),
  fromPackage(['world-countries', '5.1.0', 'countries.json'], (countries) =>
    repeated('cca3', countries as JsonRecord[]),
  ),
  fromPackage(['@mdn/browser-compat-data', '8.1.9', 'data.json'], (data) =>
    repeated('path', [...features(data as JsonRecord, '')]),
  ),
  // Nine films have a number for a title.
  fromPackage([...VEGA, 'data/movies.json'], (movies) =>
    repeated('Title', movies as JsonRecord[], ({ Title: title }) => typeof title === 'number'),
  ),
  fromPackage([...VEGA, 'data/earthquakes.json'], (collection) =>
    repeated('id', (collection as { features: JsonRecord[] }).features),
  ),
];
