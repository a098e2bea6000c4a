import { withAbsolutePaths } from './absolute-paths.js';
import { parseTableUri } from './table-argument.js';

describe('a table that is to be there after a restart elsewhere', () => {
  it.each([
    ['a.csv', '/base/a.csv'],
    ['./year=*/*.csv', '/base/year=*/*.csv'],
    ['/x/a.csv', '/x/a.csv'],
    ['file://a.csv', '/base/a.csv'],
    ['file:///x/a%20b.csv', 'file:///x/a%20b.csv'],
    ['sqlite://a.db', '/base/a.db'],
    ['sqlite:///x/a.db', 'sqlite:///x/a.db'],
    ['s3://bucket/a.csv', 's3://bucket/a.csv'],
    ['https://h/a.csv', 'https://h/a.csv'],
    ['mysql://h/db', 'mysql://h/db'],
  ])('%s is %s', (uri, lasting) => {
    const table = parseTableUri('t', uri);
    expect(withAbsolutePaths(table, '/base')).toEqual({ ...table, uri: lasting });
  });
});
