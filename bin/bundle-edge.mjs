// The edge program in a few files, from what was compiled to dist/: reading a thousand small files
// would take longer than everything else it does before its first answer.
import { basename, join } from 'node:path';
import { BUNDLE, oneLanguage, partsOfRxjs } from './bundle-options.mjs';
import { makeCatalogData } from './make-catalog-data.mjs';

/**
 * These packages are loaded from node_modules when they are needed: drivers, and packages that Nest
 * and Fastify can do without.
 */
const EXTERNAL = [
  ...[
    '@electric-sql/pglite',
    'chdb',
    'chdb/*',
    'ffi-rs',
    '@clickhouse/client',
    'lmdb',
    'kafkajs',
    '@eventstore/*',
    '@grpc/*',
    'apache-arrow',
  ],
  ...['@e965/xlsx', 'pino', '@opentelemetry/*', '@cloudpss/zstd/napi', 'lz4-napi', 'snappy'],
  ...['class-transformer', 'class-transformer/*', 'class-validator'],
  ...['@nestjs/microservices', '@nestjs/microservices/*', '@nestjs/platform-express'],
  ...['@nestjs/websockets', '@nestjs/websockets/*'],
  ...['swagger-ui-dist', '@fastify/static', '@fastify/view', '@fastify/cors', '@fastify/multipart'],
  ...['@fastify/middie', '@fastify/formbody'],
];

const THREADS = ['warehouse/chdb/read-in-thread.mjs', 'postgres-wire/catalog/catalog-thread.mjs'];

/** @param {string} dist @returns {Promise<readonly string[]>} the files written */
export async function bundleEdge(dist) {
  const { build } = await import('esbuild');
  const folder = join(dist, 'apps', 'edge');
  const options = {
    absWorkingDir: dist,
    outdir: folder,
    ...BUNDLE,
    metafile: true,
    external: EXTERNAL,
    plugins: [partsOfRxjs, oneLanguage],
  };
  // The entry is a bundle of its own, so that reading the arguments loads nothing else.
  const first = build({
    ...options,
    entryPoints: { bundle: join(folder, 'main.js') },
    outExtension: { '.js': '.mjs' },
    external: [...EXTERNAL, './start.js'],
  });
  const second = build({
    ...options,
    entryPoints: [join(folder, 'start.js')],
    allowOverwrite: true,
    splitting: true,
    // These modules start threads from files beside them.
    chunkNames: 'bundle-[hash]',
  });
  const bundle = (await Promise.all([first, second])).flatMap(({ metafile }) =>
    Object.keys(metafile.outputs).map((file) => join(dist, file)),
  );
  // A thread starts from a file beside the one that starts it.
  const threads = THREADS.map(async (path) => {
    const file = join(folder, basename(path));
    const entryPoints = [join(dist, 'libs', path)];
    await build({ entryPoints, outfile: file, ...BUNDLE, external: EXTERNAL });
    return file;
  });
  const data = makeCatalogData(join(dist, '..'), join(folder, 'catalog-data.tar.gz'));
  return [...bundle, ...(await Promise.all([...threads, data]))];
}
