// Copies what browsers load of GraphiQL and React from their packages to the build, with their
// licenses: the packages bring a hundred others, which an installed Millrace would not use.
import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

const SCRIPTS = [
  'graphiql/graphiql.min.js',
  'graphiql/graphiql.min.css',
  'react/umd/react.production.min.js',
  'react-dom/umd/react-dom.production.min.js',
];
/** Both packages of React have the same. */
const LICENSES = ['graphiql', 'react'];

/** @param {string} root @param {string} dist @returns {Promise<readonly string[]>} the files written */
export async function copyGraphiql(root, dist) {
  const folder = join(dist, 'libs', 'query', 'graphiql');
  const files = [
    ...SCRIPTS.map((name) => [name, basename(name)]),
    ...LICENSES.map((name) => [`${name}/LICENSE`, `LICENSE.${name}`]),
  ];
  return Promise.all(
    files.map(async ([from, to]) => {
      const target = join(folder, to);
      await copyFile(join(root, 'node_modules', from), target);
      return target;
    }),
  );
}
