import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '@app/config';
import { chartHash, render, RENDERED } from '../fixtures/helm/render.mjs';

const root = join(import.meta.dirname, '../..');
const chart = join(root, 'deploy/helm/millrace');
const fixtures = join(root, 'test/fixtures/helm');
const textOf = (path: string): string => readFileSync(path, 'utf8');

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: unknown }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly replicas?: number;
    readonly serviceName?: string;
    readonly selector?: unknown;
    readonly scaleTargetRef?: { readonly name: string };
    readonly template?: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly containers: readonly [Container];
        readonly terminationGracePeriodSeconds: number;
        readonly volumes: readonly {
          readonly name: string;
          readonly secret?: { readonly items: readonly { readonly path: string }[] };
        }[];
      };
    };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
  };
}

const renderings = Object.keys(RENDERED).map((name) => {
  const documents = parseAllDocuments(textOf(join(fixtures, name)));
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  return [name, documents.map((each) => each.toJS() as Manifest)] as const;
});
const processes = renderings.flatMap(([name, manifests]) =>
  manifests.flatMap((each) =>
    each.spec.template ? [[name, each.metadata.name, each] as const] : [],
  ),
);

describe('the chart for Kubernetes', () => {
  it('was rendered as it is now: node test/fixtures/helm/render.mjs', () => {
    for (const name of Object.keys(RENDERED))
      expect(textOf(join(fixtures, name)).split('\n')[0]).toBe(`# of ${chartHash()}`);
  });

  it('renders so, and passes the linter, where there is a helm', () => {
    const hasHelm = spawnSync('helm', ['version']).status === 0;
    if (!hasHelm) console.log('There is no helm here: what it rendered before is looked at.');
    for (const [name, options] of hasHelm ? Object.entries(RENDERED) : []) {
      expect(`# of ${chartHash()}\n${render(options)}`).toBe(textOf(join(fixtures, name)));
      execFileSync('helm', ['lint', '--strict', '--kube-version', '1.30.0', chart, ...options]);
    }
  });

  it('has the version of the program', () => {
    const { version } = JSON.parse(textOf(join(root, 'package.json'))) as { version: string };
    expect(parse(textOf(join(chart, 'Chart.yaml')))).toMatchObject({
      version,
      appVersion: version,
    });
  });

  it('knows its own values, and no others', () => {
    const isValid = new Ajv({ allErrors: true, strict: false }).compile(
      JSON.parse(textOf(join(chart, 'values.schema.json'))) as object,
    );
    const values = parse(textOf(join(chart, 'values.yaml'))) as object;
    expect([isValid(values), isValid.errors]).toEqual([true, null]);
    expect(isValid(parse(textOf(join(fixtures, 'every-option.yaml'))))).toBe(true);
    for (const wrong of [
      { apii: {} },
      { secret: { secretKey: 'in plain text' } },
      { env: { MILLRACE_QUEUE_MAX_BYTES: 17_179_869_184 } },
      { kafka: { brokers: ['kafka'] } },
    ])
      expect(isValid(wrong)).toBe(false);
  });

  it.each(renderings)('%s is a cluster, with a budget for what must not go at once', (_, all) => {
    const of = (kind: string): string[] =>
      all.filter((each) => each.kind === kind).map(({ metadata }) => metadata.name);
    expect(of('StatefulSet').sort()).toEqual([
      'millrace-api',
      'millrace-projector',
      'millrace-writer',
    ]);
    expect(of('PodDisruptionBudget').sort()).toEqual(['millrace-api', 'millrace-writer']);
    for (const { spec } of all.filter(({ kind }) => kind === 'StatefulSet'))
      expect(of('Service')).toContain(spec.serviceName);
    // A workload that an autoscaler scales must not have a number of replicas of its own.
    const scaled = all.flatMap(({ spec }) => spec.scaleTargetRef?.name ?? []);
    const told = all.filter(({ spec }) => spec.replicas !== undefined);
    expect(
      told.map(({ metadata }) => metadata.name).filter((name) => scaled.includes(name)),
    ).toEqual([]);
  });

  it('scales writers by the lag of the queue', () => {
    const [, all] = renderings.find(([name]) => name === 'all.yaml') ?? ['', []];
    const writers = all.find(({ spec }) => spec.scaleTargetRef?.name === 'millrace-writer');
    expect(writers?.spec).toMatchObject({
      metrics: [{ type: 'External', external: { metric: { name: 'millrace_queue_lag' } } }],
    });
  });

  describe.each(processes)('in %s %s', (_, name, { spec }) => {
    const { template } = spec;
    if (!template) throw new Error(`${name} has no pods`);
    const { containers, volumes, terminationGracePeriodSeconds } = template.spec;
    const [container] = containers;
    const variables = Object.fromEntries(container.env.map((each) => [each.name, each.value]));

    it('has variables that the program takes, as texts, and the files they name', () => {
      for (const value of Object.values(variables)) expect(typeof value).toBe('string');
      const folder = mkdtempSync(join(tmpdir(), 'millrace-chart-'));
      try {
        const contents: Record<string, string> = {
          MILLRACE_SECRET_KEY_FILE: Buffer.alloc(32).toString('base64'),
          CLICKHOUSE_URL_FILE: 'http://millrace:secret@clickhouse:8123',
          CLICKHOUSE_BACKUPS_FILE: "Disk('backups', '{name}')",
          EVENTSTORE_URL_FILE: 'esdb://eventstore:2113?tls=false',
        };
        const mounted = volumes.flatMap(({ secret }) => secret?.items ?? []);
        const given = Object.entries(variables).map(([variable, value]) => {
          const file = /^\/run\/secrets\/millrace\/(.+)$/.exec(String(value))?.[1];
          if (file === undefined) return [variable, String(value)] as const;
          expect(mounted.map(({ path }) => path)).toContain(file);
          writeFileSync(join(folder, file), contents[variable] ?? 'secret');
          return [variable, join(folder, file)] as const;
        });
        const config = readConfig(Object.fromEntries(given));
        expect([...config.roles]).toEqual([name.replace('millrace-', '')]);
        expect(config.clickHouse?.urls).toHaveLength(1);
        expect(config.kafka?.brokers.length).toBeGreaterThan(0);
        expect(config.dataDirectory).toMatch(/^\/data\/./);
        expect(terminationGracePeriodSeconds).toBeGreaterThan(config.drainSeconds + 25);
        // A program that serves nobody needs neither root's password nor keys to the tables of
        // organizations.
        if (!config.roles.has('api'))
          expect(Object.keys(variables).filter((each) => /ROOT_PASSWORD|AWS/.test(each))).toEqual(
            [],
          );
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    it('is asked where it answers', () => {
      const status = container.ports.find((port) => port.name === 'status')?.containerPort;
      expect(variables.MILLRACE_STATUS_ADDR).toBe(`0.0.0.0:${status ?? ''}`);
      const { startupProbe, livenessProbe, readinessProbe } = container;
      expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet)).toEqual([
        { path: '/healthz', port: 'status' },
        { path: '/healthz', port: 'status' },
        { path: '/readyz', port: 'status' },
      ]);
      const addressOf = (name: string): string | undefined => {
        const port = container.ports.find((each) => each.name === name)?.containerPort;
        return port === undefined ? port : `0.0.0.0:${port}`;
      };
      expect(variables.MILLRACE_HTTP_ADDR).toBe(addressOf('http'));
      expect(variables.MILLRACE_CLICKHOUSE_ADDR).toBe(addressOf('clickhouse'));
    });

    it('keeps its data, and has a place for all that it mounts', () => {
      const places = [
        ...volumes.map((volume) => volume.name),
        ...(spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name),
      ];
      expect(container.volumeMounts.filter((mount) => !places.includes(mount.name))).toEqual([]);
      expect(spec.volumeClaimTemplates?.map(({ metadata }) => metadata.name)).toEqual(['data']);
      expect(container.volumeMounts).toContainEqual({ name: 'data', mountPath: '/data' });
      expect(container.args).toEqual(['serve']);
      expect(template.metadata.labels).toMatchObject(
        (spec.selector as { matchLabels: Record<string, string> }).matchLabels,
      );
    });
  });
});
