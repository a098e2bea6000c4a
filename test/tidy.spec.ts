import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const longestFile = 300;
const fullestFolder = 13;

interface Source {
  readonly path: string;
  readonly lines: readonly string[];
}

function sources(folder: string): Source[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules'))
    .map((name) => `${folder}/${name}`)
    .map((path) => ({ path, lines: readFileSync(join(root, path), 'utf8').split('\n') }));
}

const program = [...sources('apps'), ...sources('libs')];
const everything = [...program, ...sources('test')];

/** Every place where the text matches, as `path:line`. */
function places(files: readonly Source[], text: RegExp): string[] {
  return files.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => (text.test(line) ? [`${path}:${index + 1}`] : [])),
  );
}

interface Comment {
  /** Number of its first line, from 1. */
  readonly line: number;
  /** Its text on one line. */
  readonly text: string;
}

/** Docstrings, and comments that have lines of their own. */
function commentsOf(source: string): Comment[] {
  const form = /\/\*\*(?<block>[^]*?)\*\/|^[ \t]*(?<lines>\/\/.*(?:\n[ \t]*\/\/.*)*)/gm;
  return [...source.matchAll(form)].map(({ 0: whole, index, groups }) => ({
    line: source.slice(0, index + whole.indexOf('/')).split('\n').length,
    text: (groups?.['block'] ?? groups?.['lines'] ?? '')
      .replace(/^[ \t]*(?:\*|\/\/)/gm, '')
      .replace(/\s+/g, ' ')
      .trim(),
  }));
}

describe('house rules', () => {
  it('finds sources to judge', () => {
    expect(program.length).toBeGreaterThan(5);
  });

  it('names no folder after what is left when nobody found a name', () => {
    const banned = /\/(?:utils|common|shared|core|helpers|types|interfaces|dto)\//;
    expect(program.map(({ path }) => path).filter((path) => banned.test(path))).toEqual([]);
  });

  it('nests folders at most three levels below apps and libs', () => {
    const deep = program.map(({ path }) => path).filter((path) => path.split('/').length > 5);
    expect(deep).toEqual([]);
  });

  it('keeps at most 13 files in a folder, beside their specs', () => {
    const counts = new Map<string, number>();
    for (const { path } of program.filter(({ path: each }) => !/\.(?:spec|d)\.tsx?$/.test(each))) {
      const folder = path.slice(0, path.lastIndexOf('/'));
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    const crowded = [...counts].filter(([, count]) => count > fullestFolder);
    expect(crowded).toEqual([]);
  });

  it('gives no two files of libraries the same name', () => {
    const folders = new Map<string, string[]>();
    for (const { path } of program) {
      const [, lib, name] = /^(libs)\/.*?([^/]+)\.ts$/.exec(path) ?? [];
      if (lib === undefined || name === undefined || name === 'index') continue;
      folders.set(name, [...(folders.get(name) ?? []), path]);
    }
    expect(folders.size).toBeGreaterThan(100);
    expect([...folders.values()].filter((paths) => paths.length > 1)).toEqual([]);
  });

  it('exports nothing that no other file names', () => {
    const files = new Map<string, number>();
    for (const { lines } of everything)
      for (const word of new Set(lines.join('\n').match(/\w+/g)))
        files.set(word, (files.get(word) ?? 0) + 1);
    const form = /^export (?:abstract |async )*(?:const|function\*?|class|interface|type) (\w+)/gm;
    const own = program.filter(({ path }) => !/\.spec\.tsx?$|\.d\.ts$/.test(path));
    const exported = own.flatMap(({ path, lines }) =>
      [...lines.join('\n').matchAll(form)].map(([, name = '']) => ({ path, name })),
    );
    expect(exported.length).toBeGreaterThan(1000);
    const alone = exported.filter(({ name }) => files.get(name) === 1);
    expect(alone.map(({ path, name }) => `${path}: ${name}`)).toEqual([]);
  });

  it('keeps a file below 300 lines', () => {
    const long = program.filter(
      ({ path, lines }) => !path.endsWith('.spec.ts') && lines.length > longestFile,
    );
    expect(long.map(({ path, lines }) => `${path}: ${lines.length}`)).toEqual([]);
  });

  it('leaves nothing for later', () => {
    expect(places(everything, /\b(?:FIX[M]E|TO[D]O)\b/)).toEqual([]);
  });

  it('skips no test and singles none out', () => {
    expect(places(everything, /\b(?:it|test|describe)\.(?:skip|only|failing)\b/)).toEqual([]);
    expect(places(everything, /^\s*(?:xit|xtest|xdescribe|fit|fdescribe)\(/)).toEqual([]);
  });

  it('begins no comment with a clause in the place of a subject', () => {
    // `Who is told …`, `Whether it is`, `Undefined: all`: a reader has to look for the verb. Say who does what.
    const ellipsis =
      /^(?:Who|What|Whoever|Whatever|Whose|Whether|How|Why)\b|^Undefined(?::| (?:where|when|while|for)\b)/;
    const judged = [...program, ...sources('test')];
    const found = judged.flatMap(({ path, lines }) =>
      commentsOf(lines.join('\n'))
        .filter(({ text }) => ellipsis.test(text))
        .map(({ line, text }) => `${path}:${line}: ${text.slice(0, 60)}`),
    );
    expect(found).toEqual([]);
  });

  it('begins or ends no comment in the middle of a sentence, and names who acts', () => {
    const unplain = /^(?:…|\.\.\.)|…$|\bwho(?:so|m)?ever\b/i;
    const found = [...program, ...sources('test')].flatMap(({ path, lines }) =>
      commentsOf(lines.join('\n'))
        .filter(({ text }) => unplain.test(text))
        .map(({ line, text }) => `${path}:${line}: ${text.slice(0, 60)}`),
    );
    expect(found).toEqual([]);
  });

  it('begins no comment with a clause, or a participle, that stands for something unsaid', () => {
    // `Those that are there`, `Told when it ends`, `The same of a list`: a reader has to guess of what it speaks.
    const unsaid = /^(?:That|Those|As|Asked|Told|Said|Kept|Held|Made|None:|The same of)\b/;
    const found = [...program, ...sources('test')].flatMap(({ path, lines }) =>
      commentsOf(lines.join('\n'))
        .filter(({ text }) => unsaid.test(text))
        .map(({ line, text }) => `${path}:${line}: ${text.slice(0, 60)}`),
    );
    expect(found).toEqual([]);
  });

  it('titles no test with a question, or with somebody unnamed', () => {
    const title = /^\s*(?:describe|it|test)(?:\.each\b.*)?\(\s*(['"`])(?<text>.*?)\1/;
    const unplain = /\bwho(?:so)?ever\b/i;
    const clause = /^(?:who|whose|whoever|what|whatever|whether|how|where|why)\b/i;
    const found = [...everything].flatMap(({ path, lines }) =>
      lines.flatMap((line, index) => {
        const text = title.exec(line)?.groups?.['text'];
        if (text === undefined) return [];
        const isClause = clause.test(text) && !/^\s*it/.test(line);
        return isClause || unplain.test(text) ? [`${path}:${index + 1}: ${text}`] : [];
      }),
    );
    expect(found).toEqual([]);
  });

  it('gives docstrings a subject', () => {
    // `Of a table; more would cost each statement`: a reader has to guess what the number bounds.
    const found = [...program, ...sources('test')].flatMap(({ path, lines }) =>
      [...lines.join('\n').matchAll(/^\s*\/\*\*(?:\n\s*\*)? Of\b.*/gm)].map(
        ([text]) => `${path}: ${text}`,
      ),
    );
    expect(found).toEqual([]);
  });

  it('calls nothing a part but parts of tables', () => {
    // Each file here is about the engine's parts, or about what S3 calls the parts of an upload.
    const own = /^libs\/(?:warehouse|writer|object-store|streams\/damage)\//;
    // SQL has a term of its own: `date_part('year', x)`.
    const datePart = /\bdate[ _]parts?\b|\b(?:extractedD|d)atePart\b/gi;
    // Elsewhere the sentence says whose part it is.
    const ofTable = /\b(?:tables?|engine|disk|insert)\b/;
    const declared =
      /\b(?:const|let|function\*?|class|interface|type|readonly) (?:\w+P|p|P)arts?\b|[([]parts?(?:: |[,)\]] )/;
    const judged = program
      .filter(({ path }) => !own.test(path))
      .map(({ path, lines }) => ({ path, lines: lines.map((line) => line.replace(datePart, '')) }));
    const said = judged.flatMap(({ path, lines }) =>
      commentsOf(lines.join('\n'))
        .filter(({ text }) => /\bparts?\b/i.test(text) && !ofTable.test(text))
        .map(({ line, text }) => `${path}:${line}: ${text.slice(0, 60)}`),
    );
    expect([...said, ...places(judged, declared)]).toEqual([]);
  });

  it('gives what an operator can mend a type of its own', () => {
    // A file that reads a command's arguments loads nothing, not even this type: see --help.
    const judged = program.filter(
      ({ path }) => /^(?:libs|apps\/[\w-]+)\/.+\//.test(path) && !path.endsWith('.spec.ts'),
    );
    const plain =
      /(?:throw|=>) new Error\((?:\s*\/\/.*\n)?\s*[`'"](?:configuration:|[A-Z]+_[A-Z]|--[a-z])/;
    const found = judged.filter(({ lines }) => plain.test(lines.join('\n')));
    expect(found.map(({ path }) => path)).toEqual([]);
    expect(plain.test("throw new Error(\n  'configuration: PORT: want a number',\n);")).toBe(true);
  });

  it('silences no linter without a reason behind " -- "', () => {
    const silenced = /(?:(?:es|ox)lint-disable|@ts-(?:ignore|expect-error|nocheck))(?!.* -- \S)/;
    const own = everything.filter(({ path }) => path !== 'test/tidy.spec.ts');
    expect(places(own, silenced)).toEqual([]);
  });
});

interface LockedPackage {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly resolved?: string;
  readonly version?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly link?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly hasInstallScript?: boolean;
}

describe('the lockfile', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };

  it('has the hash of every package, but of builds for other machines that no registry at hand serves', () => {
    const without = Object.entries(packages).filter(
      ([path, { link, integrity = '' }]) =>
        path !== '' && link !== true && !integrity.startsWith('sha512-'),
    );
    const runsHere = ({ os = ['linux'], cpu = ['x64'] }: LockedPackage): boolean =>
      os.includes('linux') && cpu.includes('x64');
    const needed = without.filter(([, each]) => each.optional !== true || runsHere(each));
    expect(needed.map(([path]) => path)).toEqual([]);
    // `npm run lockfile` adds hashes; never does one go.
    expect(without.length).toBeLessThanOrEqual(3);
  });

  it('has no install script that package.json does not allow or deny', () => {
    const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      allowScripts: Record<string, boolean>;
    };
    const named = Object.entries(packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
    expect([...new Set(named)].filter((name) => !(name in allowScripts))).toEqual([]);
    expect(named).toContain('lmdb');
  });

  it('names no registry', () => {
    expect(Object.keys(packages).filter((name) => packages[name]?.resolved)).toEqual([]);
  });

  it('has every optional package, or npm ci refuses it: npm run lockfile', () => {
    const missing = Object.entries(packages).flatMap(([parent, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) =>
          !(`${parent}/node_modules/${name}` in packages) && !(`node_modules/${name}` in packages),
      ),
    );
    expect(missing).toEqual([]);
  });
});
