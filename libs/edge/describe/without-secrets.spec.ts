import { loadFailure } from '../registry/prepare/load-failure.js';
import { withoutSecrets } from './without-secrets.js';

describe('a URI in messages', () => {
  it.each([
    ['postgres://ann:se@cr/et@h:5432/db', 'postgres://***@h:5432/db'],
    ['mysql://ann@h/db', 'mysql://***@h/db'],
    ['t=https://:secret@h/x.csv,format=csv', 't=https://***@h/x.csv,format=csv'],
    ['https://a:b@h/x.csv?sig=secret', 'https://***@h/x.csv?…'],
    ['https://a:b@h/x.csv?sig=secret@x', 'https://***'],
    ['https://u:p?se#c/r@t@h/x.csv', 'https://***'],
    ['https://h:8080/x@y.csv', 'https://***'],
    ['https://h/@scope/x.csv', 'https://h/@scope/x.csv'],
    ['mysql://u:p?se#c/r@t@h:1/db', 'mysql://***@h:1/db'],
    [
      'a=mysql://u:p?ss@h/db and b=postgres://u:#@h/db',
      'a=mysql://***@h/db and b=postgres://***@h/db',
    ],
    ['from https://h/x.csv?sig=secret: gone', 'from https://h/x.csv?… gone'],
    ['data/what?.csv', 'data/what?.csv'],
    ['https://h/x.csv', 'https://h/x.csv'],
  ])('of %s: %s', (uri, shown) => {
    expect(withoutSecrets(uri)).toBe(shown);
  });

  it('has no secrets in the reason either, whichever library gave it', () => {
    const table = {
      name: 't',
      uri: 'https://ann:se@cret@h/x.csv?sig=secret',
      options: { format: 'parquet' },
      materialize: false,
    } as const;
    const { message } = loadFailure(table, new Error(`cannot read '${table.uri}'`));
    expect(message).not.toContain('cret');
    expect(message).toContain('https://***');
  });

  it.each([
    ['from a CSVWithNames format file, because there are no files with provided path.', 'no file'],
    ['from a CSVWithNames format file, because all files are empty.', 'there is nothing in it'],
    ['from a CSVWithNames format file. Error:\nExpected end of line', 'delimiter= says which'],
  ])('has a reason for its reader: %s', (theirs, ours) => {
    const table = {
      name: 't',
      uri: 'a.csv',
      options: { format: 'parquet' },
      materialize: false,
    } as const;
    expect(loadFailure(table, new Error(theirs)).message).toContain(ours);
  });
});
