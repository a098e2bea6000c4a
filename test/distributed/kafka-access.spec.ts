import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import kafkajs, { type KafkaConfig } from 'kafkajs';
import { KEY_PASSWORD, makeCertificates, type Certificates } from '../server/certificates.js';
import { KafkaServer } from '../server/kafka/kafka-server.js';
import { securedListeners, USER, type Protocol } from '../server/kafka/secured.js';
import { startServer } from '../server/start-server.js';
import { until } from '../server/until.js';

const { Kafka, logLevel } = kafkajs;

describe('Kafka behind TLS and SASL', () => {
  let directory: string;
  let certificates: Certificates;
  let kafka: KafkaServer;
  let ports: Readonly<Record<Protocol, number>>;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-tls-'));
    certificates = makeCertificates(directory);
    const more = await securedListeners(directory, certificates);
    ports = more.listeners;
    kafka = await KafkaServer.start(more);
    writeFileSync(join(directory, 'password'), `${USER.password}\n`);
  }, 120_000);
  afterAll(async () => {
    await kafka.dispose();
    rmSync(directory, { recursive: true, force: true });
  });

  const brokers = (protocol: Protocol): string => `127.0.0.1:${ports[protocol]}`;
  const sasl = (protocol: Protocol, mechanism: string): Record<string, string> => ({
    KAFKA_BROKERS: brokers(protocol),
    KAFKA_SECURITY_PROTOCOL: protocol,
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SASL_USERNAME: USER.username,
    KAFKA_SASL_PASSWORD_FILE: join(directory, 'password'),
    ...(protocol === 'SASL_SSL' ? { KAFKA_SSL_CA_LOCATION: certificates.ca } : {}),
  });
  const byCertificate = (key: Record<string, string>): Record<string, string> => ({
    KAFKA_BROKERS: brokers('SSL'),
    KAFKA_SECURITY_PROTOCOL: 'SSL',
    KAFKA_SSL_CA_LOCATION: certificates.ca,
    KAFKA_SSL_CERTIFICATE_LOCATION: certificates.client.certificate,
    ...key,
  });
  const WAYS: readonly (readonly [string, () => Record<string, string>])[] = [
    ['SASL_PLAINTEXT, PLAIN', () => sasl('SASL_PLAINTEXT', 'PLAIN')],
    ['SASL_PLAINTEXT, SCRAM-SHA-256', () => sasl('SASL_PLAINTEXT', 'SCRAM-SHA-256')],
    ['SASL_PLAINTEXT, SCRAM-SHA-512', () => sasl('SASL_PLAINTEXT', 'SCRAM-SHA-512')],
    ['SASL_SSL, PLAIN', () => sasl('SASL_SSL', 'PLAIN')],
    ['SASL_SSL, SCRAM-SHA-256', () => sasl('SASL_SSL', 'SCRAM-SHA-256')],
    ['SASL_SSL, SCRAM-SHA-512', () => sasl('SASL_SSL', 'SCRAM-SHA-512')],
    ['SSL', () => byCertificate({ KAFKA_SSL_KEY_LOCATION: certificates.client.key })],
    [
      'SSL, an encrypted key',
      () =>
        byCertificate({
          KAFKA_SSL_KEY_LOCATION: certificates.lockedKey,
          KAFKA_SSL_KEY_PASSWORD: KEY_PASSWORD,
        }),
    ],
  ];

  /** Another program, which has its own way in. */
  async function sendForeign(namespace: string): Promise<void> {
    const config: KafkaConfig = {
      brokers: [brokers('SASL_SSL')],
      ssl: { ca: readFileSync(certificates.ca, 'utf8') },
      sasl: { mechanism: 'scram-sha-256', ...USER },
      logLevel: logLevel.NOTHING,
    };
    const producer = new Kafka(config).producer();
    await producer.connect();
    const headers = { organization: 'default', stream: 'foreign' };
    await producer.send({
      topic: `${namespace}.uploads`,
      messages: [
        { headers, value: '{"a":1}' },
        { headers: { ...headers, 'idempotency-key': 'k' }, value: '{"a":2}' },
        { value: 'nowhere' },
      ],
    });
    await producer.disconnect();
  }

  it.each(WAYS)(
    'carries uploads and messages of others: %s',
    async (_title, variables) => {
      const dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-'));
      const server = await startServer({
        dataDirectory,
        variables: { ...variables(), KAFKA_UPLOAD_ORGANIZATIONS: 'default' },
      });
      try {
        const rows = Array.from({ length: 1000 }, (_, a) => `{"a":${a}}`).join('\n');
        for (let times = 0; times < 2; times += 1)
          await server.client.upload('logs', rows, { 'idempotency-key': 'once' });
        expect(await server.client.count('logs')).toBe(1000);
        await sendForeign(basename(dataDirectory));
        await until(async () => {
          const answer = await server.client.call('/api/default/sql', {
            body: 'SELECT a FROM foreign ORDER BY a',
          });
          return answer.status === 200 && answer.json<unknown[]>().length === 2;
        });
      } finally {
        await server.stop();
        rmSync(dataDirectory, { recursive: true, force: true });
      }
    },
    120_000,
  );

  it.each<[string, () => Record<string, string>, RegExp]>([
    [
      'a wrong password',
      () => ({
        ...sasl('SASL_SSL', 'SCRAM-SHA-512'),
        KAFKA_SASL_PASSWORD_FILE: certificates.ca,
      }),
      /KAFKA_BROKERS: .*authentication/i,
    ],
    [
      'a wrong password, PLAIN',
      () => ({ ...sasl('SASL_PLAINTEXT', 'PLAIN'), KAFKA_SASL_USERNAME: 'nobody' }),
      /KAFKA_BROKERS: .*authentication/i,
    ],
    [
      'a certificate of somebody else',
      () => ({
        ...sasl('SASL_SSL', 'PLAIN'),
        KAFKA_SSL_CA_LOCATION: certificates.strangerCa,
      }),
      // A broker that is slow may have hung up at the last try.
      /KAFKA_BROKERS: .*(certificate|signed|TLS)/,
    ],
    [
      'no certificate where one is wanted',
      () => ({
        KAFKA_BROKERS: brokers('SSL'),
        KAFKA_SECURITY_PROTOCOL: 'SSL',
        KAFKA_SSL_CA_LOCATION: certificates.ca,
      }),
      /KAFKA_BROKERS: /,
    ],
    [
      'a plain connection to a listener with TLS',
      () => ({ KAFKA_BROKERS: brokers('SASL_SSL') }),
      /KAFKA_BROKERS: /,
    ],
  ])(
    'does not start with %s, and says so without the secret',
    async (_title, variables, message) => {
      const failure = await startServer({ variables: variables() }).then(
        async (server) => {
          await server.stop();
          return 'it started';
        },
        (error: unknown) => String(error),
      );
      expect(failure).toMatch(message);
      expect(failure).not.toContain(USER.password);
    },
    120_000,
  );
});
