import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { startServer, type Server } from '../server/start-server.js';

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

const file = join(import.meta.dirname, '../../deploy/grafana/millrace.json');
const { panels } = JSON.parse(readFileSync(file, 'utf8')) as { panels: readonly Panel[] };
const queries = panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => [title, expr] as const),
);
interface Alerts {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}
const rules = join(import.meta.dirname, '../../deploy/prometheus/alerts.yml');
const alerts = (parse(readFileSync(rules, 'utf8')) as Alerts).groups.flatMap((group) =>
  group.rules.map(({ alert, expr }) => [alert, expr] as const),
);
const METRIC = /\b(?:millrace|process|nodejs)_\w+/g;
/** Prometheus itself adds these labels. */
const OWN_LABELS = ['instance', 'le'];

describe('the dashboard for Grafana, and the alerts for Prometheus', () => {
  let server: Server;
  let text: string;

  beforeAll(async () => {
    server = await startServer();
    const { client } = server;
    // Something of each kind, so that every metric has been counted once.
    await client.upload('logs', [{ a: 1 }]);
    await client.sql('SELECT a FROM logs');
    await client.call('/api/default/sql', { body: 'DROP TABLE logs' });
    for (let time = 0; time < 11; time += 1)
      await client.call('/api/default/streams', {
        credentials: { email: 'a@b.c', password: 'Wrong-12' },
      });
    text = (await client.call('/metrics')).bytes.toString();
  });
  afterAll(() => server.stop());

  it('shows everything that we measure', () => {
    const ours = [...text.matchAll(/^# TYPE (millrace_\w+)/gm)].map(([, name = '']) => name);
    const shown = queries.map(([, expr]) => expr).join('\n');
    expect(ours.length).toBeGreaterThan(15);
    // The former name of millrace_component_ready is only for alerts of operators.
    expect(ours.filter((name) => !shown.includes(name))).toEqual(['millrace_part_ready']);
  });

  it('has counters from the start, so that a rate sees the first failure', () => {
    for (const sample of [
      'millrace_failures_total{kind="INTERNAL"} 0',
      'millrace_guard_refusals_total{reason="time_zone"} 0',
      'millrace_throttled_total{what="upload"} 0',
      'millrace_ingest_records_total{outcome="rejected"} 0',
      'millrace_storage_refused_total{bound="disk"} 0',
    ])
      expect(text.split('\n')).toContain(sample);
  });

  it('warns before the certificate ends, and never where there is none', () => {
    const [, expr] = alerts.find(([name]) => name === 'MillraceCertificateEnds') ?? [];
    // Plain HTTP is told by a 0, which would have ended long ago.
    expect(expr).toMatch(/^\(millrace_tls_certificate_expires_seconds > 0\) - time\(\) < /);
    expect(text).toContain('\nmillrace_tls_certificate_expires_seconds 0\n');
  });

  it.each(['operations.md', 'failures.md', 'kafka.md'])('%s names what there is', (name) => {
    const documented = readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8');
    const names = new Set(documented.match(METRIC) ?? []);
    const unknown = [...names].filter((each) => !text.includes(`# TYPE ${each} `));
    expect(unknown).toEqual([]);
  });

  it.each([...queries, ...alerts])('%s: %s', (_, expr) => {
    const names = expr.match(METRIC) ?? [];
    expect(names).not.toEqual([]);
    const lines = text.split('\n');
    const labels = /by \(([^)]+)\)/.exec(expr)?.[1]?.split(', ') ?? [];
    for (const name of names) {
      const samples = lines.filter(
        (line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `),
      );
      expect(samples.length).toBeGreaterThan(0);
      for (const label of labels.filter((each) => !OWN_LABELS.includes(each)))
        expect(samples.some((sample) => sample.includes(`${label}="`))).toBe(true);
    }
  });
});
