import { formatOfFile, streamOfFile } from './format-of-file.js';

describe('a file', () => {
  it.each([
    ['a.json', '_json', undefined],
    ['A.NDJSON', '_json', undefined],
    ['a.b.jsonl.gz', '_json', 'gzip'],
    ['a.csv', '_csv', undefined],
    ['a.csv.zst', '_csv', 'zstd'],
    ['a.parquet', '_parquet', undefined],
    ['a.parquet.gz', '_parquet', 'gzip'],
    ['a.arrow', '_arrow', undefined],
    ['a.feather', '_arrow', undefined],
    ['table.tar', '_delta_lake', undefined],
    ['table.tar.gz', '_delta_lake', undefined],
    ['table.tgz', '_delta_lake', undefined],
    ['table.zip', '_delta_lake', undefined],
  ])('%s goes to %s', (name, route, encoding) => {
    expect(formatOfFile(name)).toMatchObject({ route, encoding });
  });

  it('of tabs says so', () => {
    expect(formatOfFile('a.tsv')?.parameters).toEqual({ delimiter: 'tab' });
  });

  it.each(['a.png', 'a.xlsx', 'a.avro', 'a', '.json.exe', 'a.gz', 'a.zip.gz'])(
    '%s is not taken',
    (name) => {
      expect(formatOfFile(name)).toBeUndefined();
    },
  );

  it('suggests a name that a stream may have', () => {
    const names = ['access log (1).csv', '_x.json', 'ümläut.json', '.csv', 'a-b_c.d.json'];
    expect(names.map(streamOfFile)).toEqual(['access_log_1_', 'x', 'ml_ut', 'uploaded', 'a-b_c']);
  });
});
