import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constructedClasses } from './collaborators.js';

const root = join(import.meta.dirname, '..');
const MOST = 5;

const counted = (text: string): readonly string[] | undefined =>
  constructedClasses([{ path: 'given.ts', text }]).find(({ name }) => name === 'Given')
    ?.collaborators;

/** Each of these classes hides its collaborators in another way. */
const GIVEN = `
class One {}
interface Door { open(): void }
interface Two { readonly one: One; readonly door: Door }
interface Bundle extends Two { readonly inner: Two; readonly told: () => void; readonly name: string }
`;
const BREACHES: Readonly<Record<string, readonly [string, number]>> = {
  'as parameters': ['a: One, b: One, c: One, d: Door, e: Door, f: Door', 6],
  'in a bundle': ['private readonly all: Bundle, last: One', 6],
  'in a bundle that is called options': ['options: { bundle: Bundle; last: Door }', 6],
  'behind an optional bundle': ['all: Bundle | undefined, last?: One', 6],
  'as what is left of a bundle': ["some: Omit<Bundle, 'told'>, d: Door, e: Door", 6],
  'as functions': ['a: () => void, b: (n: number) => string, more: Two, again: Two', 6],
  'in lists': ['all: Bundle, doors: readonly Door[]', 6],
};

describe('collaborators of a constructor', () => {
  it.each(Object.entries(BREACHES))('are counted %s', (_, [parameters, count]) => {
    const text = `${GIVEN}class Given { constructor(${parameters}) {} }`;
    expect(counted(text)).toHaveLength(count);
  });

  it('are not its values', () => {
    const values = 'a: string, b: readonly number[], c: Map<string, One>, d: { most: number }, e?: Buffer'; // prettier-ignore
    expect(counted(`${GIVEN}class Given { constructor(${values}) {} }`)).toEqual([]);
  });

  it('are at most five', () => {
    const paths = ['apps', 'libs']
      .flatMap((folder) =>
        readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
          (name) => `${folder}/${name}`,
        ),
      )
      .filter((path) => /\.tsx?$/.test(path) && !/\.spec\.tsx?$|\.d\.ts$/.test(path));
    const sources = paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
    const classes = constructedClasses(sources);
    expect(classes.length).toBeGreaterThan(300);
    expect(classes.find(({ name }) => name === 'UploadPipeline')?.collaborators).toHaveLength(5);
    const many = classes.filter(({ collaborators }) => collaborators.length > MOST);
    expect(many.map(({ path, collaborators }) => `${path}: ${collaborators.join()}`)).toEqual([]);
  });
});
