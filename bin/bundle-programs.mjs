// The server's programs, each in a few files, from what was compiled to dist/: reading and compiling
// two thousand small files took most of a start. What a program needs only when something is asked
// of it is in files of its own (chunks).
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { BUNDLE, oneLanguage, partsOfRxjs } from './bundle-options.mjs';

/**
 * The programs, below dist/apps. Those of one list are bundled together: each of them loads all that
 * one of them uses of a library. So the servers are alone; for an operator's command, a tenth of a
 * second more is worth a build that takes a third of the time.
 */
const PROGRAMS = [
  ['api/main'],
  [
    ...['api/projector', 'api/replay', 'api/dead-letter', 'api/audit-verify', 'api/backup'],
    ...['api/restore', 'api/change-key', 'api/seal-events', 'api/reconcile'],
  ],
  ['ingest-writer/main'],
];

/**
 * Threads of the servers, below dist/libs, each in one file with what it uses. Its modules import
 * libraries as a whole, and a thread that loaded all of them took half a second of processor time and 60 MB.
 */
const THREADS = ['acceptance/judge/judge-thread'];
/** A thread with more has a library that it does not need. */
const THREAD_BYTES_MAX = 256 * 1024;

/**
 * These packages are loaded from node_modules when they are needed, because they are native or look
 * for files beside themselves.
 */
const PACKAGES = [
  ...['chdb', 'lmdb', 'ffi-rs', 'lz4-napi', 'snappy', '@node-rs/argon2', '@cloudpss/zstd'],
  ...['@e965/xlsx', 'jsonc-parser', 'pino', 'swagger-ui-dist'],
  ...['@eventstore/db-client', '@grpc/grpc-js', '@opentelemetry/sdk-trace-node'],
  ...['@opentelemetry/exporter-trace-otlp-http', '@opentelemetry/resources'],
];

/** Modules in CommonJS whose export is used only as a whole. */
const WHOLE = /\/node_modules\/(?:kafkajs\/src|@fastify\/\w+)\//;

/** Nest and Fastify can do without these packages, and they are not installed. */
const ABSENT = [
  ...['class-transformer', 'class-transformer/*', 'class-validator', 'ts-morph'],
  ...['@nestjs/microservices', '@nestjs/microservices/*', '@nestjs/platform-express'],
  ...['@nestjs/websockets', '@nestjs/websockets/*', '@apollo/*', '@as-integrations/*'],
  ...['@fastify/view', '@fastify/multipart'],
];

/** esbuild calls a plugin only for what its filter matches, and each call takes longer than a match. */
const OF_PACKAGES = new RegExp(`^(?:${PACKAGES.join('|')})(?:/|$)`);

/** Loads these by require: an import would stand at the top of the bundle, and load each of them at every start. */
const loadWhenNeeded = {
  name: 'load when needed',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: OF_PACKAGES }, ({ path, namespace, kind }) => {
      const needed = namespace !== 'needed' && kind === 'import-statement';
      return needed ? { path, namespace: 'needed' } : { path, external: true };
    });
    onLoad({ filter: /.*/, namespace: 'needed' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

/** Matches our own modules, which are a quarter of all. */
const ownModules = (dist) => new RegExp(`^${dist.replaceAll(/[^\w/]/g, '\\$&')}/.*\\.js$`);

/** A module must still find the files beside it, which stay where they were compiled to. */
const ownPlace = (dist) => ({
  name: 'own place',
  setup: ({ onLoad }) =>
    onLoad({ filter: ownModules(dist) }, async ({ path }) => {
      const contents = await readFile(path, 'utf8');
      if (!contents.includes('import.meta.url')) return undefined;
      // Every program and every chunk lies two folders below dist.
      const own = `new URL(${JSON.stringify(`../../${relative(dist, path)}`)}, import.meta.url).href`;
      return {
        contents: contents.replaceAll('import.meta.url', own),
        resolveDir: dirname(path),
        loader: 'js',
      };
    }),
});

/** @param {string} dist @returns {Promise<readonly string[]>} the files written */
export async function bundlePrograms(dist) {
  const { build } = await import('esbuild');
  const apps = join(dist, 'apps');
  const options = {
    absWorkingDir: dist,
    allowOverwrite: true,
    ...BUNDLE,
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    external: ABSENT,
  };
  const plugins = [partsOfRxjs, oneLanguage, loadWhenNeeded];
  const programs = PROGRAMS.map((those) =>
    build({
      ...options,
      entryPoints: those.map((program) => join(apps, `${program}.js`)),
      outdir: apps,
      outbase: apps,
      splitting: true,
      chunkNames: 'chunks/[name]-[hash]',
      plugins: [...plugins, ownPlace(dist)],
    }),
  );
  const threads = THREADS.map((thread) => {
    const file = join(dist, 'libs', `${thread}.js`);
    return build({ ...options, entryPoints: [file], outfile: file, plugins });
  });
  const bundled = await Promise.all([...programs, ...threads]);
  const outputs = Object.assign({}, ...bundled.map(({ metafile }) => metafile.outputs));
  for (const [program, { imports }] of Object.entries(outputs))
    for (const { path, kind } of imports)
      if (kind === 'import-statement' && !isBuiltin(path) && !(path in outputs))
        throw new Error(`${program} loads ${path} at every start; see bin/bundle-programs.mjs`);
  for (const thread of THREADS) {
    const { bytes } = outputs[`libs/${thread}.js`];
    if (bytes > THREAD_BYTES_MAX)
      throw new Error(`${thread} has ${bytes} bytes; see THREADS in bin/bundle-programs.mjs`);
  }
  // A chunk of CommonJS has no names, so an import of one at run time would find nothing.
  for (const { entryPoint = '', exports } of Object.values(outputs))
    if (
      entryPoint.includes('node_modules') &&
      exports.join() === 'default' &&
      !WHOLE.test(entryPoint)
    )
      throw new Error(`${entryPoint} has no names in a chunk; see PACKAGES and WHOLE`);
  return Object.keys(outputs).map((file) => join(dist, file));
}
