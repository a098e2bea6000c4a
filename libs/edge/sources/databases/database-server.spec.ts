import { databaseServer } from './database-server.js';

describe('the URI of a database', () => {
  it.each([
    ['postgres://ann:pass@h:1/db', ['h:1', 'db', undefined, 'ann', 'pass']],
    ['postgres://ann:p?s#s/w@rd:1%@h/db', ['h:5432', 'db', undefined, 'ann', 'p?s#s/w@rd:1%']],
    ['postgres://a%40n:p%2Fw@[::1]:80/my%20db/tab', ['[::1]:80', 'my db', 'tab', 'a@n', 'p/w']],
    ['postgresql://h/db/', ['h:5432', 'db', undefined, '', '']],
  ])('%s', (uri, expected) => {
    const { host, database, table, user, password, shown } = databaseServer(uri, 'postgres');
    expect([host, database, table, user, password]).toEqual(expected);
    expect(shown).not.toMatch(/pass|w@rd|p\/w/);
  });

  it.each(['postgres://h', 'postgres://ann:pass@h/', 'postgres:h/db'])('%s is none', (uri) => {
    expect(() => databaseServer(uri, 'postgres')).toThrow('want');
  });
});
