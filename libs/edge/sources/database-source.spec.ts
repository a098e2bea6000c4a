import { databaseSource } from './database-source.js';

const source = (uri: string) =>
  databaseSource({ name: 't', uri, options: { format: 'postgres' } }, '/');

describe('the URI of a database', () => {
  it.each([
    ['postgres://ann:pass@h:1/db', "'h:1', 'db', 't', 'ann', 'pass'"],
    ['postgres://ann:p?s#s/w@rd:1%@h/db', "'h:5432', 'db', 't', 'ann', 'p?s#s/w@rd:1%'"],
    ['postgres://a%40n:p%2Fw@[::1]:80/my%20db/tab', "'[::1]:80', 'my db', 'tab', 'a@n', 'p/w'"],
    ['postgres://h/db', "'h:5432', 'db', 't', '', ''"],
  ])('%s', (uri, args) => {
    expect(source(uri)?.call(undefined)).toBe(`postgresql(${args})`);
    expect(source(uri)?.shown).not.toMatch(/pass|w@rd|p\/w/);
  });

  it.each(['postgres://h', 'postgres://ann:pass@h/', 'postgres:h/db'])('%s is none', (uri) => {
    expect(() => source(uri)).toThrow('want');
  });
});
