// Compiles TypeScript for jest. An import from a library's index.ts becomes one from the files that
// the names come from: jest evaluates every module anew for each suite, an index brings its whole
// library with all that it imports, and most suites use a few names. The build leaves out the same,
// see bundle-options.mjs: our modules do nothing when they are loaded but define what they export.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import swc from '@swc/jest';

const libs = join(dirname(fileURLToPath(import.meta.url)), '..', 'libs');
/** Matches a re-export of TypeScript in an index.ts, and an import in the code that swc writes. */
const REEXPORT = /export\s+(type\s+)?\{([^}]*)\}\s*from\s*'(\.[^']*)\.js';/g;
const IMPORT = /^import (?:\{([^}]*)\} from )?['"]@app\/([\w/-]+)['"];/gm;
const COMMENT = /\/\*[^]*?\*\/|\/\/.*$/gm;

const namesIn = (list) =>
  list
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '' && !each.startsWith('type '))
    .map((each) => each.split(/\s+as\s+/))
    .map(([name, alias = name]) => ({ name, alias }));

/**
 * The file and the name there of each name that an index.ts has.
 * @param {string} index @returns {ReadonlyMap<string, {file: string, name: string}> | undefined} undefined: it
 * has more in it than names of other files
 */
function originsOf(index) {
  const text = readFileSync(index, 'utf8').replace(COMMENT, '');
  if (text.replace(REEXPORT, '').trim() !== '') return undefined;
  const origins = new Map();
  for (const [, isType, list, path] of text.matchAll(REEXPORT))
    for (const { name, alias } of isType ? [] : namesIn(list))
      origins.set(alias, { file: join(dirname(index), `${path}.ts`), name });
  return origins;
}

/** A line stays a line, so that the source map goes on being true. */
function withoutIndexes(code, originsByLibrary) {
  return code.replaceAll(IMPORT, (whole, list, library) => {
    const origins = originsByLibrary.get(library);
    const names = namesIn(list ?? '');
    if (!origins || !names.every(({ name }) => origins.has(name))) return whole;
    return names
      .map(({ name, alias }) => {
        const { file, name: there } = origins.get(name);
        return `import { ${there} as ${alias} } from ${JSON.stringify(file)};`;
      })
      .join(' ');
  });
}

export default {
  createTransformer(options) {
    const compiler = swc.createTransformer(options);
    const originsByLibrary = new Map();
    const hash = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)));
    for (const path of readdirSync(libs, { recursive: true }).sort()) {
      if (basename(path) !== 'index.ts') continue;
      const index = join(libs, path);
      originsByLibrary.set(dirname(path), originsOf(index));
      hash.update(`${path}\0${readFileSync(index, 'utf8')}\0`);
    }
    const key = hash.digest('hex');
    const direct = ({ code, ...rest }) => ({
      ...rest,
      code: withoutIndexes(code, originsByLibrary),
    });
    return {
      ...compiler,
      process: (...args) => direct(compiler.process(...args)),
      processAsync: async (...args) => direct(await compiler.processAsync(...args)),
      getCacheKey: (...args) => `${compiler.getCacheKey(...args)}${key}`,
    };
  },
};
