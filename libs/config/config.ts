import { join, resolve } from 'node:path';
import { z } from 'zod';
import { didYouMean, explainIssues, OperatorError } from '@app/platform';
import { wholeNumber } from '@app/settings';
import {
  accountBounds,
  accountVariables,
  type AccountBounds,
} from '../identity/people/account-bounds.settings.js';
import { queueVariables } from '../ingest-queue/queue.settings.js';
import { storageVariables } from '../intake/storage.settings.js';
import {
  streamBounds,
  streamVariables,
  type StreamBounds,
} from '../streams/stream-bounds.settings.js';
import { queryLimits, queryVariables, type QueryLimitsOfAll } from '../query/query.settings.js';
import { uploadLimits, uploadVariables, type UploadLimits } from '../intake/upload.settings.js';
import { withSecretFiles } from './secret-files.js';
import { httpAddress, origins, proxies } from './http-settings.js';
import {
  clickHouseAddress,
  clickHouseBackups,
  clickHouseCluster,
  clickHouseUrls,
} from '../warehouse/client/clickhouse.settings.js';
import {
  kafkaConfig,
  kafkaVariables,
  type KafkaConfig,
} from '../ingest-queue/kafka/kafka.settings.js';
import { tlsConfig, tlsVariables, type TlsConfig } from '../http/listener/tls.settings.js';
import {
  deltaSources,
  deltaVariables,
  type DeltaSources,
} from '../intake/delta/sources/delta-sources.settings.js';
import { s3Access, s3Variables, type S3Access } from '../object-store/s3.settings.js';
import { engineMemory } from '../warehouse/engine/engine-memory.settings.js';
import {
  eventStoreConfig,
  eventStoreVariables,
  type EventStoreConfig,
} from '../event-store/eventstoredb/eventstoredb.settings.js';
import {
  signUpConfig,
  signUpVariables,
  type SignUpConfig,
} from '../identity/http/sign-up.settings.js';

/** Proxies ask every second or two whether a node is ready. */
const DRAIN_SECONDS = 5;
const DRAIN_SECONDS_MAX = 300;

const SECRET_BYTES = 32;
const secretKey = z
  .string()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine(
    ({ length }) => length === SECRET_BYTES,
    'want 32 random bytes in base64, as from: openssl rand -base64 32',
  )
  .optional();

const ROLES = ['api', 'writer', 'projector'] as const;
export type Role = (typeof ROLES)[number];
const roles = z
  .string()
  .prefault(ROLES.join())
  .transform((text) => text.split(',').map((each) => each.trim()))
  .pipe(z.array(z.enum(ROLES)))
  .transform((all) => new Set<Role>(all));

/** Every variable the program knows. Sizes are in bytes. */
const environment = z.object({
  MILLRACE_HTTP_ADDR: httpAddress.prefault('127.0.0.1:5080'),
  ...tlsVariables,
  MILLRACE_STATUS_ADDR: httpAddress.optional(),
  MILLRACE_CLICKHOUSE_ADDR: httpAddress.optional(),
  MILLRACE_DRAIN_SECONDS: wholeNumber(DRAIN_SECONDS).refine((value) => value <= DRAIN_SECONDS_MAX, {
    error: `want at most ${DRAIN_SECONDS_MAX}`,
  }),
  MILLRACE_DATA_DIR: z
    .string()
    .min(1)
    .default('./data')
    .transform((path) => resolve(path)),
  MILLRACE_BACKUP_DIR: z
    .string()
    .min(1)
    .transform((path) => resolve(path))
    .optional(),
  MILLRACE_ROOT_EMAIL: z.email().default('root@example.com'),
  MILLRACE_ROOT_PASSWORD: z.string().optional(),
  ...uploadVariables,
  ...queueVariables,
  MILLRACE_ENGINE_MEMORY: engineMemory,
  ...deltaVariables,
  ...accountVariables,
  ...streamVariables,
  ...storageVariables,
  ...signUpVariables,
  ...queryVariables,
  MILLRACE_SECRET_KEY: secretKey,
  MILLRACE_TRUSTED_PROXIES: proxies,
  MILLRACE_CORS_ORIGINS: origins,
  MILLRACE_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
  CLICKHOUSE_URL: clickHouseUrls,
  CLICKHOUSE_CLUSTER: clickHouseCluster,
  CLICKHOUSE_BACKUPS: clickHouseBackups,
  ...kafkaVariables,
  MILLRACE_ROLES: roles,
  ...s3Variables,
  ...eventStoreVariables,
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
});

const consistent = environment
  // Without Kafka the queue is inside the process, and no other process could write what it
  // acknowledged.
  .refine(
    (values) =>
      values.KAFKA_BROKERS !== undefined ||
      !values.MILLRACE_ROLES.has('api') ||
      values.MILLRACE_ROLES.has('writer'),
    {
      path: ['MILLRACE_ROLES'],
      error:
        'has api without writer, which leaves the writing to writers on Kafka: set KAFKA_BROKERS, or add writer',
    },
  )
  // The port decides which protocol a connection speaks.
  .refine(
    ({ MILLRACE_CLICKHOUSE_ADDR: own, MILLRACE_HTTP_ADDR: http }) =>
      own === undefined || own.port === 0 || own.port !== http.port,
    {
      path: ['MILLRACE_CLICKHOUSE_ADDR'],
      error: 'want another port than that of MILLRACE_HTTP_ADDR',
    },
  );

export interface Config {
  readonly http: {
    readonly host: string;
    readonly port: number;
    readonly trustedProxies: readonly string[];
    /** The origins whose pages may call from a browser, besides our own. */
    readonly corsOrigins: readonly string[];
    /** Undefined means: plain HTTP. */
    readonly tls: TlsConfig | undefined;
  };
  /**
   * The address of health and metrics for all who can reach it. It is undefined when only the API
   * serves them.
   */
  readonly status: { readonly host: string; readonly port: number } | undefined;
  /** The address where clients of ClickHouse find it at the root; undefined: nowhere. */
  readonly clickHouseClients: { readonly host: string; readonly port: number } | undefined;
  /**
   * A server that is asked to stop answers requests for so long, although it is not ready any
   * more.
   */
  readonly drainSeconds: number;
  /** Absolute. */
  readonly dataDirectory: string;
  /** An absolute path, where `millrace backup` puts backups. */
  readonly backupDirectory: string;
  /** 32 bytes; undefined: the one kept in the data directory. */
  readonly secretKey: Uint8Array | undefined;
  readonly root: { readonly email: string; readonly password: string | undefined };
  readonly upload: UploadLimits;
  readonly accounts: AccountBounds;
  readonly streams: StreamBounds;
  /** The most bytes that one organization keeps; 0: no bound. */
  readonly storageBytes: number;
  readonly signUp: SignUpConfig;
  /** The access to buckets. Undefined means that there are no keys. Secret. */
  readonly s3: S3Access | undefined;
  readonly delta: DeltaSources;
  readonly queueMaxBytes: number;
  readonly engineMemoryBytes: number | undefined;
  readonly query: QueryLimitsOfAll;
  readonly logLevel: string;
  /** Address of an OpenTelemetry collector; undefined: nothing is traced. */
  readonly tracesTo: string | undefined;
  /** The place where ClickHouse makes backups, with `{name}` in it; undefined: nowhere. Secret. */
  readonly clickHouseBackups: string | undefined;
  /** Undefined means that the embedded engine has the tables. Secret. */
  readonly clickHouse: ReturnType<typeof clickHouseAddress>;
  /** Undefined means: the embedded event store. Secret. */
  readonly eventStore: EventStoreConfig | undefined;
  /** Undefined means: the embedded ingest queue. */
  readonly kafka: KafkaConfig | undefined;
  /** The roles of this process. */
  readonly roles: ReadonlySet<Role>;
}

/**
 * The only place that reads the environment. It throws an error that names every wrong variable.
 */
export function readConfig(given: NodeJS.ProcessEnv = process.env): Config {
  const variables = withSecretFiles(given);
  refuseUnknown(variables);
  const parsed = consistent.safeParse(variables);
  if (!parsed.success) throw new OperatorError(`configuration: ${explainIssues(parsed.error)}`);
  const values = parsed.data;
  const s3 = s3Access(values);
  return {
    http: {
      ...values.MILLRACE_HTTP_ADDR,
      trustedProxies: values.MILLRACE_TRUSTED_PROXIES ?? [],
      corsOrigins: values.MILLRACE_CORS_ORIGINS,
      tls: tlsConfig(values),
    },
    status: values.MILLRACE_STATUS_ADDR,
    clickHouseClients: values.MILLRACE_CLICKHOUSE_ADDR,
    drainSeconds: values.MILLRACE_DRAIN_SECONDS,
    secretKey: values.MILLRACE_SECRET_KEY,
    dataDirectory: values.MILLRACE_DATA_DIR,
    backupDirectory: values.MILLRACE_BACKUP_DIR ?? join(values.MILLRACE_DATA_DIR, 'backups'),
    root: { email: values.MILLRACE_ROOT_EMAIL, password: values.MILLRACE_ROOT_PASSWORD },
    upload: uploadLimits(values),
    accounts: accountBounds(values),
    streams: streamBounds(values),
    storageBytes: values.MILLRACE_ORG_STORAGE_BYTES,
    signUp: signUpConfig(values),
    s3,
    delta: deltaSources(values, s3),
    queueMaxBytes: values.MILLRACE_QUEUE_MAX_BYTES,
    engineMemoryBytes: values.MILLRACE_ENGINE_MEMORY,
    query: queryLimits(values),
    logLevel: values.MILLRACE_LOG_LEVEL,
    tracesTo: values.OTEL_EXPORTER_OTLP_ENDPOINT,
    clickHouseBackups: values.CLICKHOUSE_BACKUPS,
    clickHouse: clickHouseAddress(values.CLICKHOUSE_URL, values.CLICKHOUSE_CLUSTER),
    eventStore: eventStoreConfig(values),
    kafka: kafkaConfig(values),
    roles: values.MILLRACE_ROLES,
  };
}

/** Reads what an operator's command needs. It listens nowhere, so it reads no certificate. */
export const readConfigOfCommand = (variables: NodeJS.ProcessEnv = process.env): Config =>
  readConfig({ ...variables, MILLRACE_TLS_CERT: undefined, MILLRACE_TLS_KEY: undefined });

/** The command line and the edge program have these variables, and may run beside the server. */
const CLIENT_VARIABLES = ['MILLRACE_USER', 'MILLRACE_PASSWORD', 'MILLRACE_EDGE_TOKEN'];

/**
 * Kubernetes sets these for every container, for each service whose name begins with `millrace`.
 */
const OF_A_SERVICE =
  /^MILLRACE_(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/;
const isOfAService = (name: string, value = ''): boolean =>
  OF_A_SERVICE.test(name) || (name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(value));

/** Other servers name a port or a host apart; no typing error leads from these to the address. */
const nearest = (name: string, known: readonly string[]): string =>
  /^MILLRACE_(?:HTTP_)?(?:PORT|HOST|LISTEN|BIND)$/.test(name)
    ? '; did you mean "MILLRACE_HTTP_ADDR"?'
    : didYouMean(name, known);

/** A mistyped variable must not be ignored in silence. */
function refuseUnknown(variables: NodeJS.ProcessEnv): void {
  const known = Object.keys(environment.shape);
  const unknown = Object.keys(variables).filter(
    (name) =>
      name.startsWith('MILLRACE_') &&
      ![...known, ...CLIENT_VARIABLES].includes(name) &&
      !isOfAService(name, variables[name]),
  );
  if (unknown.length === 0) return;
  const ours = known.filter((name) => name.startsWith('MILLRACE_'));
  const told = unknown.map((name) => `unknown ${name}${nearest(name, ours)}`);
  throw new OperatorError(`configuration: ${told.join('; ')}; docs/operators.md lists all`);
}
