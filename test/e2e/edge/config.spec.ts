import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROAPI_FIXTURES, runEdge, startEdge } from '../../server/start-edge.js';

describe("the edge program's configuration", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'edge-config-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  it("starts by ROAPI's YAML", async () => {
    const path = file(
      'roapi.yml',
      `addr:
  http: 127.0.0.1:1
  postgres: 127.0.0.1:0
response_format: Csv
tables:
  - name: cities
    uri: uk_cities_with_headers.csv
    option: {format: csv, use_memory_table: false}
    batch_size: 1024
  - name: ami
    uri: ubuntu-ami.json
    option: {format: json, pointer: /aaData, array_encoded: true}
    schema:
      columns:
        - {name: zone, data_type: Utf8}
        - {name: name, data_type: Utf8}
        - {name: version, data_type: Utf8}
        - {name: arch, data_type: Utf8}
        - {name: instance_type, data_type: Utf8}
        - {name: release, data_type: Utf8}
        - {name: ami_id, data_type: Utf8}
        - {name: aki_id, data_type: Utf8}
`,
    );
    const edge = await startEdge(['-c', path, '-t', 'more=partitioned_csv,format=csv']);
    try {
      const counts = await edge.sql('SELECT count() AS n FROM cities');
      expect(counts.text).toBe('"n"\n37\n');
      const rows = await edge.post('/api/sql', 'SELECT count() AS n FROM ami', {
        accept: 'application/json',
      });
      expect(rows.json<{ n: number }[]>()[0]?.n).toBeGreaterThan(100);
      for (const [accept, type] of [
        ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/csv'],
        ['text/plain', 'text/csv'],
        ['text/plain, application/json', 'application/json'],
      ] as const) {
        const { headers } = await edge.post('/api/sql', 'SELECT 1 AS n', { accept });
        expect([accept, headers.get('content-type')]).toEqual([
          accept,
          expect.stringContaining(type),
        ]);
      }
      expect((await edge.sql('SELECT count() AS n FROM more')).text).toBe('"n"\n6\n');
      expect(edge.output()).toContain('clients of PostgreSQL: postgres://127.0.0.1:');
    } finally {
      await edge.stop();
    }
  });

  it("starts by ROAPI's TOML", async () => {
    const path = file(
      'roapi.toml',
      '[[tables]]\nname = "blogs"\nuri = "blogs.parquet"\n[tables.option]\nformat = "parquet"\nuse_memory_table = true\n',
    );
    const edge = await startEdge(['--config', path]);
    try {
      expect((await edge.sql('SELECT count() AS n FROM blogs')).json()).toEqual([{ n: 500 }]);
    } finally {
      await edge.stop();
    }
  });

  it('takes the schema from the files that are named', async () => {
    mkdirSync(join(folder, 'data'));
    file('data/a.csv', 'x,y\n1,\n');
    file('data/b.csv', 'x,z\n2,text\n');
    file('data/c.csv', 'x,other\n3,4\n');
    const path = file(
      'roapi.yaml',
      `tables:
  - name: t
    uri: ${folder}/data
    option: {format: csv, use_memory_table: false}
    schema_from_files: [a.csv, b.csv]
`,
    );
    const edge = await startEdge(['-c', path]);
    try {
      const { text } = await edge.sql('SELECT * FROM t ORDER BY x');
      expect(text.replaceAll('\n', '')).toBe(
        '[{"x":1,"y":null,"z":null},{"x":2,"y":null,"z":"text"},{"x":3,"y":null,"z":null}]',
      );
    } finally {
      await edge.stop();
    }
  });

  it('prints help and version', async () => {
    const help = await runEdge(['--help']);
    expect(help.code).toBe(0);
    expect(help.stdout).toMatch(/^usage: millrace-edge --table/);
    expect((await runEdge([])).stdout).toBe(help.stdout);
    expect(await runEdge(['-V'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^millrace-edge \d+\.\d+\.\d+\n$/) as string,
    });
  });

  it.each([
    [['--tabl', 'x=y.csv'], 'millrace-edge: unknown option --tabl; did you mean "--table"?\n'],
    [['-t', 'cities=nowhere.csv'], 'table "cities" cannot be loaded from nowhere.csv: '],
    [['-t', 'c=uk_cities_with_headers.csv,has_headr=true'], 'did you mean "has_header"?'],
    [['-c', 'test_datafusion_config.yaml'], 'test_datafusion_config.yaml'],
  ])('%j stops the start, and says why', async (args, message) => {
    const { code, stderr } = await runEdge(args, { directory: ROAPI_FIXTURES });
    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('says nothing else where one of many tables cannot be loaded', async () => {
    const cities = 'uk_cities_with_headers.csv';
    const tables = Array.from({ length: 60 }, (_, n) => ['-t', `t${n}=${cities}`]).flat();
    const args = [...tables, '-t', 'lost=nowhere.csv'];
    const { code, stderr } = await runEdge(args, { directory: ROAPI_FIXTURES });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^millrace-edge: table "lost" cannot be loaded from nowhere.csv: .*\n$/);
  });

  it('names file, line and key of a mistake in a file', async () => {
    const path = file('bad.yaml', 'tables:\n  - name: t\n    uri: a.csv\n    optiom: {}\n');
    const { stderr } = await runEdge(['-c', path]);
    expect(stderr).toBe(
      `millrace-edge: ${path}:4:13: tables[0]: unknown key "optiom"; did you mean "option"?; known are name, uri, option, schema, schema_from_files, partition_columns, reload_interval, io_option, batch_size\n`,
    );
  });
});
