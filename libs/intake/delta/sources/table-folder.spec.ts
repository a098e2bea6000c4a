import { pathInTable } from './table-folder.js';

describe('a path in the log', () => {
  it.each([
    ['part-0.parquet', 'part-0.parquet'],
    ['a=1/b=%20x/f', 'a=1/b= x/f'],
    ['p=%2525/f', 'p=%25/f'],
    ['p=x%253Ay/f', 'p=x%3Ay/f'],
    ['..a/b..', '..a/b..'],
  ])('is decoded once (%s)', (encoded, path) => {
    expect(pathInTable(encoded)).toBe(path);
  });

  it.each([
    '',
    '/etc/passwd',
    '../x',
    'a/../../x',
    'a/%2e%2e/x',
    'a/..%2fx',
    './x',
    'a//x',
    'file:///x',
    's3://bucket/x',
    'S3A://bucket/x',
    'a%00b',
    'a%5c..%5cb',
    '%zz',
  ])('may not lead out of the folder (%s)', (encoded) => {
    expect(() => pathInTable(encoded)).toThrow('broken Delta table: the log names');
  });
});
