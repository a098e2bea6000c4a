import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
const METRIC = /\b(?:millrace|process|nodejs)_\w+/g;
/** What Prometheus itself adds. */
const OWN_LABELS = ['instance', 'le'];

describe('the dashboard for Grafana', () => {
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
    expect(ours.filter((name) => !shown.includes(name))).toEqual([]);
  });

  it.each(['operations.md', 'failures.md', 'kafka.md'])('%s names what there is', (name) => {
    const documented = readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8');
    const names = new Set(documented.match(METRIC) ?? []);
    const unknown = [...names].filter((each) => !text.includes(`# TYPE ${each} `));
    expect(unknown).toEqual([]);
  });

  it.each(queries)('%s: %s', (_, expr) => {
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
