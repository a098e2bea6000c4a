import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The place of a file in the data directory tells its kind. */
const KINDS: readonly (readonly [string, RegExp])[] = [
  ['part', /^warehouse\/store\/store\/.*\/[^/]+_\d+_\d+_\d+\/[^/]+$/],
  ['table metadata', /^warehouse\/store\/.*\.sql$/],
  ['events', /^events\/data\.mdb$/],
  ['queue', /^queue\/data\.mdb$/],
  ['lock', /lock\.mdb$/],
  ['queue payload', /^queue\/payloads\//],
  ['snapshot', /^snapshots\//],
  ['person key', /^person-keys\//],
  ['secret key', /^secret-key$/],
  ['root credentials', /^root-credentials$/],
  ['row counts', /^table-rows\.json$/],
];

export interface DamagedFile {
  readonly kind: string;
  /** This path is relative to the data directory. */
  readonly file: string;
  readonly how: string;
}

type Random = () => number;

/** The same numbers for the same seed. */
export function randomOf(seed: number): Random {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Damages one file of a stopped server: each kind as often as any other. */
export function damageOne(dataDirectory: string, random: Random): DamagedFile {
  const files = readdirSync(dataDirectory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dataDirectory, join(entry.parentPath, entry.name)));
  const kinds = KINDS.map(
    ([kind, pattern]) => [kind, files.filter((file) => pattern.test(file)).sort()] as const,
  ).filter(([, found]) => found.length > 0);
  const [kind, found] = pick(kinds, random);
  const file = pick(found, random);
  const [how, damage] = pick(DAMAGES, random);
  damage(join(dataDirectory, file), random);
  return { kind, file, how };
}

type Damage = (path: string, random: Random) => void;

const DAMAGES: readonly (readonly [string, Damage])[] = [
  ['cut off', (path, random) => truncateSync(path, Math.floor(statSync(path).size * random()))],
  ['emptied', (path) => truncateSync(path, 0)],
  ['removed', (path) => rmSync(path)],
  ['some bytes changed', (path, random) => change(path, 1 + Math.floor(random() * 20), random)],
  ['all bytes changed', (path, random) => change(path, statSync(path).size, random)],
];

function change(path: string, count: number, random: Random): void {
  const bytes = readFileSync(path);
  for (let n = 0; n < count && bytes.length > 0; n += 1) {
    const at = count >= bytes.length ? n : Math.floor(random() * bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 + Math.floor(random() * 255));
  }
  writeFileSync(path, bytes);
}

function pick<T>(from: readonly T[], random: Random): T {
  const chosen = from[Math.floor(random() * from.length)];
  if (chosen === undefined) throw new Error('there is nothing to choose from');
  return chosen;
}
