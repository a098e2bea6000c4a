// The seams of the tree as rules that fail the build (docs: ARCHITECTURE.md).
// A rule's comment is what a person reads when it bites: it says why.

/** Which libs a lib may import, and why not the others. */
const layers = {
  flow: [[], 'Limits, locks and backoffs are small and know nobody.'],
  files: [[], 'How a file is written, kept and closed to others: who has it knows what for.'],
  settings: [[], 'Forms of variables are small and know nobody.'],
  'graphql-cost': [[], 'It counts what a document asks for: who executes it sets the bound.'],
  http: [['platform'], 'The server, and errors as answers: which routes there are the app says.'],
  platform: [[], 'platform is what everybody stands on; it knows nobody.'],
  'event-store': [['platform'], 'A port knows no domain: it must be replaceable by itself.'],
  'ingest-queue': [['platform'], 'A port knows no domain: it must be replaceable by itself.'],
  warehouse: [
    ['platform'],
    'The warehouse takes type names as text: column types and widening belong to streams.',
  ],
  'object-store': [
    ['platform'],
    'Files in a bucket, whatever they are: who keeps them knows what for.',
  ],
  'key-store': [['platform'], 'A port knows no domain: it must be replaceable by itself.'],
  identity: [
    ['event-store', 'http', 'key-store', 'platform'],
    'Who somebody is must not depend on what is stored; callers find the caller in the request context (platform).',
  ],
  streams: [
    ['event-store', 'warehouse', 'platform'],
    'A stream is described by events and made true in the warehouse; it knows neither its uploads nor its queries.',
  ],
  audit: [
    ['event-store', 'key-store', 'warehouse', 'platform'],
    'The audit trail reads events of every domain by their stored form; names of people and organizations are handed in by the app.',
  ],
  'stored-events': [
    ['audit', 'event-store', 'identity', 'streams'],
    'What may be stored is said by each domain; here it is put together, for every process that reads it.',
  ],
  config: [
    [
      'event-store',
      'http',
      'identity',
      'ingest-queue',
      'intake',
      'object-store',
      'query',
      'streams',
      'warehouse',
      'platform',
    ],
    'The configuration is composed of what each lib says of its own variables.',
  ],
  parquet: [['platform'], 'What a file says of itself, as bytes: who reads it knows what for.'],
  arrow: [
    ['parquet', 'platform'],
    'What a file says of itself, as bytes: who reads it knows what for.',
  ],
  acceptance: [
    ['arrow', 'parquet', 'streams', 'warehouse', 'platform'],
    'From bytes to verdicts: it knows columns, and neither HTTP nor the queue.',
  ],
  writer: [
    ['ingest-queue', 'streams', 'warehouse', 'platform'],
    'From the queue to tables: it is a process of its own, and takes what a batch says of itself.',
  ],
  intake: [
    [
      'acceptance',
      'arrow',
      'http',
      'ingest-queue',
      'object-store',
      'streams',
      'warehouse',
      'writer',
      'platform',
    ],
    'From requests and messages to the queue: of the writer it takes how batches are described, and how far it is; it needs no users and no queries.',
  ],
  backup: [
    ['event-store', 'ingest-queue', 'object-store', 'warehouse', 'platform'],
    'It copies what the ports keep, as files: it understands none of it.',
  ],
  reconcile: [
    ['audit', 'event-store', 'identity', 'streams', 'warehouse', 'writer', 'platform'],
    'It compares what the stores of an installation say of one another, so it knows them all; HTTP it does not.',
  ],
  'metadata-graphql': [
    ['graphql-cost', 'platform'],
    'Each domain declares its own resolvers; what joins them into one schema knows none of them.',
  ],
  openapi: [
    ['http', 'platform'],
    'Each route describes itself; what writes that down knows none of them.',
  ],
  console: [['http', 'platform'], 'It serves files: what they show they ask the API for.'],
  query: [
    ['arrow', 'graphql-cost', 'http', 'parquet', 'warehouse', 'platform'],
    'The edge program has tables without streams, so the app hands the catalog in.',
  ],
  'postgres-wire': [
    ['http', 'query', 'warehouse', 'platform'],
    'It speaks a protocol and answers by queries: whose tables they are, and who is let in, the app hands in.',
  ],
  'flight-sql': [
    ['arrow', 'http', 'query', 'warehouse', 'platform'],
    'It speaks a protocol and answers by queries: whose tables they are, and who is let in, the app hands in.',
  ],
  edge: [
    ['arrow', 'flight-sql', 'parquet', 'postgres-wire', 'query', 'warehouse', 'platform'],
    'Tables over files and URLs: no account, no queue, no stream of events.',
  ],
};

const adapters = {
  warehouse: ['chdb', 'clickhouse', 'engine', 'local-engine'],
  'event-store': ['embedded', 'eventstoredb'],
  'ingest-queue': ['embedded', 'kafka'],
  'key-store': ['embedded', 'key-table'],
};
const adapterFolders = `(?:${Object.entries(adapters)
  .map(([port, names]) => `libs/${port}/(?:${names.join('|')})/`)
  .join('|')})`;
const spec = '\\.spec\\.ts$';

/** Libs that every other may import. */
const everywhere = ['files', 'flow', 'settings'];

const layerRules = Object.entries(layers).map(([lib, [allowed, comment]]) => ({
  name: `${lib}-imports-only-${allowed.join('-') || 'nothing'}`,
  severity: 'error',
  comment,
  from: { path: `^libs/${lib}/` },
  to: { path: '^libs/', pathNot: `^libs/(?:${[lib, ...allowed, ...everywhere].join('|')})/` },
}));

/** Drivers: [rule name, packages, the folders that may import them]. */
const drivers = [
  [
    'chdb',
    'chdb|@chdb/[^/]+|@clickhouse/[^/]+',
    'libs/warehouse/(?:chdb|child|client|engine|local-engine)/',
  ],
  ['ffi-rs', 'ffi-rs|@yuuang/[^/]+', 'libs/warehouse/(?:child|engine|local-engine)/'],
  ['lmdb', 'lmdb', 'libs/(?:event-store|ingest-queue)/embedded/'],
  ['kafkajs', 'kafkajs[^/]*', 'libs/ingest-queue/kafka/'],
  ['eventstoredb', '@eventstore/[^/]+|@kurrent/[^/]+', 'libs/event-store/eventstoredb/'],
  ['grpc', '@grpc/[^/]+', 'libs/(?:event-store/eventstoredb|flight-sql)/'],
  ['apache-arrow', 'apache-arrow', 'libs/flight-sql/'],
];
const driverRules = drivers.map(([name, packages, folders]) => ({
  name: `driver-${name}-only-in-its-adapter`,
  severity: 'error',
  comment: `Drivers stay behind their port, so that a product can be exchanged: only ${folders} imports this one.`,
  from: { path: '^(?:apps|libs)/', pathNot: `^(?:${folders})` },
  to: { path: `(?:^|node_modules/)(?:${packages})(?:/|$)` },
}));

module.exports = {
  forbidden: [
    ...layerRules,
    ...driverRules,
    {
      name: 'libs-never-import-apps',
      severity: 'error',
      comment: 'An app is a composition of libs; the other way round nothing could be composed.',
      from: { path: '^libs/' },
      to: { path: '^apps/' },
    },
    {
      name: 'apps-never-import-apps',
      severity: 'error',
      comment: 'One process each: what two apps need lives in a lib.',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'the-console-is-alone',
      severity: 'error',
      comment: 'It runs in a browser and speaks HTTP: it shares no code with the server.',
      from: { path: '^apps/console/' },
      to: { path: '^(?:libs|test|bin)/' },
    },
    {
      name: 'edge-reaches-neither-accounts-nor-queue',
      severity: 'error',
      comment: 'The edge program runs on a laptop without account or queue: it must not load them.',
      from: { path: '^apps/edge/' },
      to: {
        path: '^libs/',
        pathNot:
          '^libs/(?:edge|console|openapi|query|flight-sql|postgres-wire|arrow|parquet|warehouse|http|graphql-cost|platform|files|flow|settings)/',
        reachable: true,
      },
    },
    {
      name: 'folders-of-a-batch-s-way-in-one-direction',
      severity: 'error',
      comment: 'What two folders want of each other belongs into one of them, or into a third.',
      scope: 'folder',
      from: { path: '^libs/(?:acceptance|intake)/' },
      to: { circular: true },
    },
    {
      name: 'libs-through-the-front-door',
      severity: 'error',
      comment: "A lib's index.ts is what it promises; everything behind it may change at any time.",
      from: { path: '^libs/([^/]+)/', pathNot: [spec, '^libs/config/'] },
      to: { path: '^libs/[^/]+/', pathNot: '^libs/(?:$1/|[^/]+/index\\.ts$)' },
    },
    {
      name: 'config-takes-settings-alone',
      severity: 'error',
      comment:
        'The configuration is read before anything else: it must load no more of a lib than its settings.',
      from: { path: '^libs/config/', pathNot: spec },
      to: {
        path: '^libs/',
        pathNot: '^libs/(?:config/|(?:platform|settings)/index\\.ts$|.*\\.settings\\.ts$)',
      },
    },
    {
      name: 'specs-through-the-front-door',
      severity: 'error',
      comment: 'A spec has no mocks of our own: what it needs of a port is a real adapter.',
      from: { path: `^libs/([^/]+)/.*${spec}` },
      to: {
        path: '^libs/[^/]+/',
        pathNot: `^(?:libs/(?:$1/|[^/]+/index\\.ts$)|${adapterFolders})`,
      },
    },
    {
      name: 'apps-through-the-front-door',
      severity: 'error',
      comment:
        "Apps import a lib's index.ts. A composition root may load an adapter folder, but by await import(), so that only the chosen driver is loaded.",
      from: { path: '^apps/', pathNot: spec },
      to: {
        path: '^libs/',
        pathNot: '^libs/[^/]+/index\\.ts$',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'apps-load-nothing-but-adapters-behind-the-door',
      severity: 'error',
      comment: 'What an app may load behind an index.ts are adapter folders, nothing else.',
      from: { path: '^apps/' },
      to: { path: '^libs/', pathNot: `^(?:libs/[^/]+/index\\.ts$|${adapterFolders})` },
    },
    {
      name: 'ports-load-adapters-lazily',
      severity: 'error',
      comment:
        'A port loads its adapter with await import(), so that a server without chDB does not load chDB.',
      from: {
        path: '^libs/(event-store|ingest-queue|warehouse)/',
        pathNot: [adapterFolders, spec],
      },
      to: {
        path: `^(?:${adapterFolders})`,
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'adapters-know-no-sibling',
      severity: 'error',
      comment: 'Each adapter stands alone behind its port; what two share belongs to the port.',
      from: { path: `^(?=${adapterFolders})libs/([^/]+)/([^/]+)/`, pathNot: spec },
      to: {
        path: `^(?:${adapterFolders})`,
        pathNot: '^libs/$1/$2/',
      },
    },
    {
      name: 'no-circles',
      severity: 'error',
      comment: 'In a circle nothing can be understood, tested or loaded by itself.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-dev-dependency-at-run-time',
      severity: 'error',
      comment:
        'What runs in production must be in "dependencies". The console runs in a browser: the build bundles what it needs.',
      from: { path: '^(?:apps|libs)/', pathNot: [spec, '^apps/console/'] },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'everything-resolves',
      severity: 'error',
      comment: 'An import that does not resolve escapes every other rule.',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
