import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorError } from '@app/platform';
import { readConfig } from './config.js';

describe('readConfig', () => {
  it('listens on loopback, port 5080, with data in ./data, when nothing is said', () => {
    const config = readConfig({});
    expect(config.http).toEqual({
      host: '127.0.0.1',
      port: 5080,
      trustedProxies: [],
      corsOrigins: [],
    });
    expect(config.dataDirectory).toBe(`${process.cwd()}/data`);
    expect(config.root).toEqual({ email: 'root@example.com', password: undefined });
  });

  it('takes host and port apart', () => {
    expect(readConfig({ MILLRACE_HTTP_ADDR: '::1:80' }).http).toMatchObject({
      host: '::1',
      port: 80,
    });
    expect(readConfig({ MILLRACE_HTTP_ADDR: '[::1]:80' }).http).toMatchObject({
      host: '::1',
      port: 80,
    });
    expect(() => readConfig({ MILLRACE_HTTP_ADDR: 'host:65536' })).toThrow(/port up to 65535/);
  });

  it('has clients of ClickHouse nowhere, or at a port of their own', () => {
    expect(readConfig({}).clickHouseClients).toBeUndefined();
    const own = { MILLRACE_CLICKHOUSE_ADDR: '127.0.0.1:8123' };
    expect(readConfig(own).clickHouseClients).toEqual({ host: '127.0.0.1', port: 8123 });
    expect(() => readConfig({ ...own, MILLRACE_HTTP_ADDR: '127.0.0.2:8123' })).toThrow(
      /MILLRACE_CLICKHOUSE_ADDR.*another port/,
    );
  });

  it('has the limits that are documented, in bytes', () => {
    const { upload, query, queueMaxBytes, accounts, streams, storageBytes } = readConfig({});
    expect({ accounts, streams, storageBytes }).toEqual({
      accounts: { organizations: 10 },
      streams: { streams: 1000 },
      storageBytes: 0,
    });
    expect(upload).toEqual({
      maxBytes: 5 * 2 ** 30,
      maxRecordBytes: 32 * 2 ** 20,
      minFreeDiskBytes: 256 * 2 ** 20,
      idleSeconds: 60,
      minBytesPerSecond: 1024,
      requestsPerSecond: 0,
      bytesPerSecond: 0,
    });
    expect(queueMaxBytes).toBe(8 * 2 ** 30);
    expect(query).toEqual({
      timeoutSeconds: 30,
      memoryBytes: 2 * 2 ** 30,
      readRows: 10_000_000_000,
      readBytes: 1024 ** 4,
      resultRows: 10_000_000,
      resultBytes: 4 * 2 ** 30,
      organization: {
        running: 4,
        waiting: 100,
        waitSeconds: 30,
        seconds: 240,
        resultBytes: 16 * 2 ** 30,
        readRows: 20_000_000_000,
        readBytes: 2 * 1024 ** 4,
      },
    });
  });

  it('takes numbers in digits only, and 0 only where it means something', () => {
    const limit = (value: string) => () =>
      readConfig({ MILLRACE_MAX_UPLOAD_BYTES: value }).upload.maxBytes;
    expect(limit('1000')()).toBe(1000);
    for (const wrong of ['', ' ', '0', '-1', '1.5', '1e9', '0x10', '5GiB', '99999999999999999999'])
      expect(limit(wrong)).toThrow(/MILLRACE_MAX_UPLOAD_BYTES/);
    expect(() => readConfig({ MILLRACE_MIN_FREE_DISK_BYTES: '' })).toThrow(/whole number/);
    expect(readConfig({ MILLRACE_MIN_FREE_DISK_BYTES: '0' }).upload.minFreeDiskBytes).toBe(0);
  });

  it('does not repeat a password in what it complains about', () => {
    const variables = { MILLRACE_ROOT_PASSWORD: 'Secret-77', MILLRACE_LOG_LEVEL: 'loud' };
    expect(() => readConfig(variables)).toThrow(/MILLRACE_LOG_LEVEL/);
    expect(() => readConfig(variables)).not.toThrow(/Secret-77/);
  });

  it('names every variable that is wrong', () => {
    const wrong = { MILLRACE_HTTP_ADDR: 'nowhere', MILLRACE_MAX_UPLOAD_BYTES: 'lots' };
    expect(() => readConfig(wrong)).toThrow(/MILLRACE_HTTP_ADDR[^]*MILLRACE_MAX_UPLOAD_BYTES/);
  });

  it('refuses a variable it does not know, so that a typo is not silent', () => {
    expect(() => readConfig({ MILLRACE_HTP_ADDR: '127.0.0.1:1' })).toThrow(/MILLRACE_HTP_ADDR/);
  });

  it('takes brokers of Kafka, a namespace, organizations to feed, and what the process does', () => {
    expect(readConfig({}).kafka).toBeUndefined();
    expect([...readConfig({}).roles]).toEqual(['api', 'writer', 'projector']);
    const { kafka, roles } = readConfig({
      KAFKA_BROKERS: 'one:9092, two:9093',
      KAFKA_UPLOAD_ORGANIZATIONS: 'acme, default',
      MILLRACE_ROLES: 'api',
    });
    expect(kafka).toEqual({
      brokers: ['one:9092', 'two:9093'],
      namespace: 'millrace',
      uploadOrganizations: new Set(['acme', 'default']),
      access: { tls: undefined, sasl: undefined },
    });
    expect([...roles]).toEqual(['api']);
    for (const wrong of ['', 'one', 'one:', 'kafka://one:9092', 'one:9092,'])
      expect(() => readConfig({ KAFKA_BROKERS: wrong })).toThrow(/KAFKA_BROKERS/);
    expect(() => readConfig({ KAFKA_NAMESPACE: 'a/b' })).toThrow(/KAFKA_NAMESPACE/);
    expect(() => readConfig({ MILLRACE_ROLES: 'reader' })).toThrow(/MILLRACE_ROLES/);
  });

  it('refuses an API that leaves the writing to others where only it has the queue', () => {
    for (const roles of ['api', 'api,projector'])
      expect(() => readConfig({ MILLRACE_ROLES: roles })).toThrow(
        /MILLRACE_ROLES: .*set KAFKA_BROKERS, or add writer/,
      );
    expect([...readConfig({ MILLRACE_ROLES: 'api,writer' }).roles]).toEqual(['api', 'writer']);
  });

  it('takes a secret key of 32 bytes, and the proxies to believe', () => {
    const key = Buffer.alloc(32, 7);
    const config = readConfig({
      MILLRACE_SECRET_KEY: key.toString('base64'),
      MILLRACE_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
    });
    expect(Buffer.from(config.secretKey ?? [])).toEqual(key);
    expect(config.http.trustedProxies).toEqual(['10.0.0.0/8', '::1']);
    expect(() => readConfig({ MILLRACE_SECRET_KEY: 'short' })).toThrow(
      /MILLRACE_SECRET_KEY: .*32 random bytes/,
    );
    expect(() => readConfig({ MILLRACE_TRUSTED_PROXIES: 'proxy.local' })).toThrow(
      /MILLRACE_TRUSTED_PROXIES/,
    );
  });

  it('opens a location of Delta tables to one organization, or to all where it is said', () => {
    const locations = (variables: Record<string, string>): readonly string[] =>
      readConfig(variables).delta.locations;
    const own = 'file:///srv/{org}/lake';
    expect(
      locations({ MILLRACE_DELTA_LOCATIONS: own, MILLRACE_DELTA_SHARED_LOCATIONS: 'file:///all' }),
    ).toEqual([own, 'file:///all']);
    for (const wrong of ['file:///srv', `${own}, file:///srv`])
      expect(() => locations({ MILLRACE_DELTA_LOCATIONS: wrong })).toThrow(
        /MILLRACE_DELTA_LOCATIONS.*without \{org\}.*MILLRACE_DELTA_SHARED_LOCATIONS/,
      );
    expect(() => locations({ MILLRACE_DELTA_SHARED_LOCATIONS: own })).toThrow(
      /MILLRACE_DELTA_SHARED_LOCATIONS/,
    );
  });

  it('takes a connection string of EventStoreDB, and repeats nothing of a wrong one', () => {
    for (const right of [
      'esdb://localhost:2113?tls=false',
      'esdb+discover://admin:secret@cluster.example:2113?nodePreference=leader',
      'esdb://admin:secret@a:2113,b:2113,c:2113/?tls=true&tlsCAFile=/etc/ca.pem',
    ])
      expect(readConfig({ EVENTSTORE_URL: right }).eventStore).toEqual({
        url: right,
        namespace: 'millrace',
      });
    for (const wrong of [
      '',
      'http://admin:secret@host:2113',
      'esdb://',
      'esdb://admin:secret@',
      'esdb://admin:secret@host?tls=maybe',
      'esdb://admin:secret@host?tlsVerifyCert=false',
      'esdb://admin:secret@host?throwOnAppendFailure=false',
      'esdb://admin:secret@host?keepAliveInterval=fast',
    ]) {
      const read = () => readConfig({ EVENTSTORE_URL: wrong });
      expect(read).toThrow(/EVENTSTORE_URL/);
      expect(read).not.toThrow(/secret/);
    }
    expect(readConfig({}).eventStore).toBeUndefined();
  });

  it('takes addresses of ClickHouse servers, several of them as a cluster, and repeats no password', () => {
    const one = 'http://millrace:se%40cret@ch1:8123';
    expect(readConfig({ CLICKHOUSE_URL: one }).clickHouse).toEqual({
      urls: [one],
      cluster: undefined,
    });
    const two = 'https://a:secret@ch1:8443, https://a:secret@ch2:8443/';
    expect(readConfig({ CLICKHOUSE_URL: two, CLICKHOUSE_CLUSTER: 'main' }).clickHouse).toEqual({
      urls: ['https://a:secret@ch1:8443', 'https://a:secret@ch2:8443/'],
      cluster: 'main',
    });
    for (const wrong of [
      '',
      'ch1:8123',
      'tcp://a:secret@ch1:9000',
      'http://a:secret@ch1:8123/db',
      'http://a:secret@ch1:8123/?readonly=1',
      'http://a:secret@ch1:8123,',
      two,
    ]) {
      const read = () => readConfig({ CLICKHOUSE_URL: wrong });
      expect(read).toThrow(/CLICKHOUSE_URL/);
      expect(read).not.toThrow(/secret/);
    }
    expect(() => readConfig({ CLICKHOUSE_CLUSTER: 'main' })).toThrow(/needs CLICKHOUSE_URL/);
    expect(readConfig({}).clickHouse).toBeUndefined();
  });

  it('passes over what Kubernetes tells of a service called millrace, and nothing else', () => {
    const told = {
      MILLRACE_SERVICE_HOST: '10.0.0.7',
      MILLRACE_SERVICE_PORT: '5080',
      MILLRACE_SERVICE_PORT_HTTP: '5080',
      MILLRACE_PORT: 'tcp://10.0.0.7:5080',
      MILLRACE_PORT_5080_TCP: 'tcp://10.0.0.7:5080',
      MILLRACE_PORT_5080_TCP_PROTO: 'tcp',
      MILLRACE_PORT_5080_TCP_PORT: '5080',
      MILLRACE_PORT_5080_TCP_ADDR: '10.0.0.7',
      MILLRACE_API_SERVICE_HOST: '10.0.0.8',
      MILLRACE_API_PORT: 'tcp://10.0.0.8:5080',
    };
    expect(readConfig(told)).toEqual(readConfig({}));
    for (const name of ['MILLRACE_PORT', 'MILLRACE_HTTP_PORT', 'MILLRACE_SERVICE_HOSTS'])
      expect(() => readConfig({ [name]: '5080' })).toThrow(`unknown ${name}`);
  });

  it.each([
    ['MILLRACE_PORT', 'unknown MILLRACE_PORT; did you mean "MILLRACE_HTTP_ADDR"?'],
    ['MILLRACE_DATADIR', 'unknown MILLRACE_DATADIR; did you mean "MILLRACE_DATA_DIR"?'],
    ['MILLRACE_XYZ_OF_NOTHING_AT_ALL', 'unknown MILLRACE_XYZ_OF_NOTHING_AT_ALL'],
  ])('tells of %s what may be meant, and where the list is', (name, told) => {
    expect(() => readConfig({ [name]: '5080' })).toThrow(
      new OperatorError(`configuration: ${told}; docs/operators.md lists all`),
    );
  });

  it('lets nobody sign up unless it is told to, from the domains that it is told', () => {
    expect(readConfig({}).signUp).toEqual({ open: false, domains: [] });
    const told = { MILLRACE_SIGNUP: 'open', MILLRACE_SIGNUP_DOMAINS: 'Example.com, example.org,' };
    expect(readConfig(told).signUp).toEqual({
      open: true,
      domains: ['example.com', 'example.org'],
    });
    expect(() => readConfig({ MILLRACE_SIGNUP: 'yes' })).toThrow(/MILLRACE_SIGNUP/);
    for (const wrong of ['@example.com', 'localhost', 'a.example b.example'])
      expect(() => readConfig({ MILLRACE_SIGNUP_DOMAINS: wrong })).toThrow(/want domains/);
  });

  it('takes secrets from files, one of the two ways each', () => {
    const directory = mkdtempSync(join(tmpdir(), 'millrace-config-'));
    const file = join(directory, 'password');
    writeFileSync(file, 'Secret-77\n');
    expect(readConfig({ MILLRACE_ROOT_PASSWORD_FILE: file }).root.password).toBe('Secret-77');
    const both = { MILLRACE_ROOT_PASSWORD_FILE: file, MILLRACE_ROOT_PASSWORD: 'x' };
    expect(() => readConfig(both)).toThrow(/both set/);
    const missing = { CLICKHOUSE_URL_FILE: join(directory, 'none') };
    expect(() => readConfig(missing)).toThrow(/CLICKHOUSE_URL_FILE: .*ENOENT/);
    expect(() => readConfig({ MILLRACE_DATA_DIR_FILE: file })).toThrow(/unknown/);
    rmSync(directory, { recursive: true });
  });
});
