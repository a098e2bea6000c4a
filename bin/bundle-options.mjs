import { dirname, resolve } from 'node:path';

/** Of esbuild, for every bundle. */
export const BUNDLE = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  keepNames: true,
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'error',
  // Packages in CommonJS call it.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
};

/**
 * Our own modules do nothing when they are loaded but define what they export, so a bundle leaves
 * out those of which it uses nothing: an index.ts would bring its whole library.
 * @param {string} dist the folder that they were compiled to
 */
export const onlyWhatIsUsed = (dist) => ({
  name: 'only what is used',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.{1,2}\// }, ({ path, importer, kind }) =>
      importer.startsWith(dist) && kind === 'import-statement'
        ? { path: resolve(dirname(importer), path), sideEffects: false }
        : undefined,
    ),
});
