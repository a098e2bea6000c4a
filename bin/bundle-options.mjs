import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const RXJS = join(
  dirname(fileURLToPath(import.meta.url)),
  '..',
  'node_modules',
  'rxjs',
  'dist',
  'esm',
);

/** The options of esbuild for every bundle. */
export const BUNDLE = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Keeping names costs a call wherever a function is made within another, which was a fifth of a
  // small request's time. Only names that two modules share become others, and nothing of ours is
  // found by one.
  keepNames: false,
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'error',
  // Packages in CommonJS call this function.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
};

/**
 * rxjs has a build of modules that import each other, of which a bundle takes what is used. By its
 * package.json Node.js gets the one in CommonJS, of which a bundle takes all: a tenth of the time
 * that the server's modules took to load.
 */
export const partsOfRxjs = {
  name: 'parts of rxjs',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^rxjs(?:\/operators)?$/ }, ({ path }) => ({
      path: join(RXJS, path === 'rxjs' ? '' : 'operators', 'index.js'),
      sideEffects: false,
    })),
};

/**
 * zod has its messages in fifty languages, of which we use the one that it takes by itself; the
 * others were a fourteenth of the code that each start compiles.
 */
export const oneLanguage = {
  name: 'one language',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^\.\.\/locales\/index\.js$/ }, ({ importer }) =>
      importer.includes('/node_modules/zod/')
        ? { path: 'locales', namespace: 'no languages', sideEffects: false }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'no languages' }, () => ({ contents: 'export {};' }));
  },
};
