import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfigFile } from './config-file.js';
import { rounds } from '../../../test/rounds.js';

const YAML = `
addr:
  http: 0.0.0.0:8000
  postgres: 0.0.0.0:5432
disable_read_only: true
reload_interval: {secs: 30, nanos: 0}
response_format: Csv
tables:
  - name: readings
    uri: ./readings.csv
    reload_interval: {secs: 1, nanos: 500000000}
    option: {format: csv, delimiter: "|", use_memory_table: false}
    schema:
      columns:
        - {name: id, data_type: Int64}
        - {name: at, data_type: !Timestamp [Second, null], nullable: true}
        - {name: took, data_type: !Duration Second}
        - {name: tags, data_type: !List {name: item, data_type: Utf8, nullable: true}}
    partition_columns:
      - {name: year, data_type: UInt16, nullable: false}
    batch_size: 8192
    io_option: {protcol: http, headers: {X-Key: abc}}
kvstores:
  - {name: titles, uri: ./blogs.parquet, key: id, value: title}
`;
const TOML = `
disable_read_only = true
response_format = "Csv"
reload_interval = {secs = 30, nanos = 0}
[addr]
http = "0.0.0.0:8000"
postgres = "0.0.0.0:5432"
[[tables]]
name = "readings"
uri = "./readings.csv"
batch_size = 8192
reload_interval = {secs = 1, nanos = 500000000}
option = {format = "csv", delimiter = "|", use_memory_table = false}
io_option = {protcol = "http", headers = {X-Key = "abc"}}
partition_columns = [{name = "year", data_type = "UInt16", nullable = false}]
[[tables.schema.columns]]
name = "id"
data_type = "Int64"
[[tables.schema.columns]]
name = "at"
data_type = {Timestamp = ["Second", "UTC"]}
nullable = true
[[kvstores]]
name = "titles"
uri = "./blogs.parquet"
key = "id"
value = "title"
`;

describe("ROAPI's configuration file", () => {
  it('is read from YAML', () => {
    const { http, postgres, readOnly, reloadSeconds, responseFormat, tables, stores, notes } =
      parseConfigFile(YAML, 'roapi.yml');
    expect({ http, readOnly, reloadSeconds, responseFormat }).toEqual({
      http: { host: '0.0.0.0', port: 8000 },
      readOnly: false,
      reloadSeconds: 30,
      responseFormat: 'csv',
    });
    expect(tables).toEqual([
      {
        name: 'readings',
        uri: './readings.csv',
        options: { format: 'csv', hasHeader: true, delimiter: '|' },
        materialize: false,
        reloadSeconds: 1.5,
        headers: { 'X-Key': 'abc' },
        columns: [
          { name: 'id', dataType: 'Int64', nullable: false },
          { name: 'at', dataType: { Timestamp: ['Second', null] }, nullable: true },
          { name: 'took', dataType: { Duration: 'Second' }, nullable: false },
          {
            name: 'tags',
            dataType: { List: { name: 'item', data_type: 'Utf8', nullable: true } },
            nullable: false,
          },
        ],
        partitionColumns: [{ name: 'year', dataType: 'UInt16', nullable: false }],
      },
    ]);
    expect(stores).toEqual([
      {
        name: 'titles',
        key: 'id',
        value: 'title',
        table: { name: 'titles', uri: './blogs.parquet', options: { format: 'parquet' } },
      },
    ]);
    expect(postgres).toEqual({ host: '0.0.0.0', port: 5432 });
    expect(notes).toEqual([]);
  });

  it('is read from TOML', () => {
    const [ours, theirs] = [parseConfigFile(TOML, 'a.toml'), parseConfigFile(YAML, 'a.yaml')];
    expect({ ...ours, tables: [], notes: [] }).toEqual({ ...theirs, tables: [], notes: [] });
    const [table] = ours.tables;
    expect({ ...table, columns: undefined }).toEqual({ ...theirs.tables[0], columns: undefined });
    expect(table?.columns?.[1]?.dataType).toEqual({ Timestamp: ['Second', 'UTC'] });
  });

  it('of its own tests is read, and what has no effect is told', () => {
    const text = readFileSync(
      join(import.meta.dirname, '../../../test/fixtures/roapi/test_datafusion_config.yml'),
      'utf8',
    );
    const { tables, postgres, notes } = parseConfigFile(text, 'test.yml');
    expect(tables.map(({ name }) => name)).toContain('s3_blogs_space_encode');
    expect(postgres).toEqual({ host: '0.0.0.0', port: 5432 });
    expect(notes).toEqual([expect.stringContaining('datafusion has no effect')]);
  });

  it.each([
    [
      'tables:\n  - {name: t, uri: a.csv, optoin: {}}',
      'c.yaml:2:35: tables[0]: unknown key "optoin"',
    ],
    ['tabels: []', 'c.yaml:1:9: unknown key "tabels"; did you mean "tables"?'],
    ['tables:\n  - name: t\n    uri: a.csv\n    option:\n      has_headr: no', 'c.yaml:5:18: '],
    ['tables: [{name: t, uri: a.csv, option: {format: cvs}}]', 'tables[0].option.format: '],
    ['kvstores: [{name: t, uri: a.csv, key: k}]', 'kvstores[0].value: '],
    ['reload_interval: soon', 'c.yaml:1:18: reload_interval: want a number of seconds'],
    ['response_format: Xml', 'response_format: want Json'],
    ['addr: {http: here}', 'addr.http: want <host>:<port>'],
    ['tables: [', 'c.yaml:1:'],
    ['a: 1\na: 2', 'c.yaml:2:1: '],
    ['- 1', 'c.yaml: want object, not array'],
    ['#\n!List[', 'c.yaml:2:6: '],
    ['#\n!List []', 'c.yaml'],
  ])('%j is refused with its place and key', (text, message) => {
    expect(() => parseConfigFile(text, 'c.yaml')).toThrow(message);
  });

  it('passes over what is its author’s, and names origins', () => {
    const text = 'x-note: &a {deep: [1]}\nx-: 2\ncors: https://a.example\n';
    expect(parseConfigFile(text, 'c.yaml')).toMatchObject({ cors: ['https://a.example'] });
    expect(parseConfigFile('cors = ["a", "b"]\nx-y = 1', 'c.toml').cors).toEqual(['a', 'b']);
    expect(() => parseConfigFile('addr: {x-note: 1}', 'c.yaml')).toThrow('unknown key "x-note"');
  });

  it('in TOML is refused with its key, or its place where it is no TOML', () => {
    expect(() => parseConfigFile('[[tables]]\nname = "t"\nurl = "x"', 'c.toml')).toThrow(
      /c\.toml: tables\[0\].*url.*uri/s,
    );
    expect(() => parseConfigFile('a = 1\nb = ?', 'c.toml')).toThrow(/^c\.toml:2:\d+: /);
  });

  it('of any text is read or refused with a message that names the file', () => {
    const piece = fc.constantFrom(
      ...['tables', 'addr', ':', ' ', '\n', '- ', '{', '}', '[', ']', 'name', 'uri', '&a', '*a'],
      ...['!List', '!!map', '"', "'", '=', '#', '<<', '__proto__', '1', '~', '|', '>', ',', '? '],
    );
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(texts, fc.constantFrom('c.yaml', 'c.toml'), (text, path) => {
        try {
          expect(Array.isArray(parseConfigFile(text, path).tables)).toBe(true);
        } catch (error) {
          expect((error as Error).message.startsWith(`${path}:`)).toBe(true);
        }
      }),
      { numRuns: rounds(400, 20_000) },
    );
  });
});
