import { streamOf } from './stream-of.js';

const time = { name: '_timestamp', type: 'Timestamp' };
const TABLES = [
  { name: 'logs', fields: [time] },
  { name: 'a b', fields: [time] },
  { name: 'cities', fields: [{ name: 'city', type: 'Utf8' }] },
];

describe('the stream of a statement', () => {
  it.each([
    ['SELECT * FROM logs', 'logs'],
    ['select *\nfrom `a b` where x', 'a b'],
    ['SELECT * FROM "a b"', 'a b'],
    ['SELECT * FROM cities JOIN (SELECT 1 FROM logs) l ON 1', 'logs'],
    ['SELECT * FROM (SELECT * FROM logs)', 'logs'],
    ['SELECT * FROM cities', undefined],
    ['SELECT * FROM nowhere', undefined],
    ['SELECT 1', undefined],
    ['SELECT from_logs', undefined],
  ])('of %j is %j', (sql, name) => {
    expect(streamOf(sql, TABLES)?.name).toBe(name);
  });
});
