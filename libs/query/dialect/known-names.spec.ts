import type { RequestOrganization } from '@app/platform';
import { Catalog, type TableDescription } from '../catalog.js';
import { KnownNames } from './known-names.js';

const ORGANIZATION: RequestOrganization = { id: 'o', name: 'o', database: 'o', share: 'o' };

const table = (name: string, ...columns: string[]): TableDescription => ({
  name,
  columns: columns.map((column) => ({ name: column, type: 'String' })),
});

class Tables extends Catalog {
  constructor(private readonly all: readonly TableDescription[]) {
    super();
  }

  tables(): readonly TableDescription[] {
    return this.all;
  }

  table(_organization: RequestOrganization, name: string): TableDescription | undefined {
    return this.all.find((each) => each.name === name);
  }
}

const names = new KnownNames(
  new Tables([table('city', 'name', 'Lat'), table('Logs', 'at', 'userId', 'userid')]),
);
const withPublic = new KnownNames(new Tables([table('city', 'public')]));
const withMain = new KnownNames(new Tables([table('city', 'name', 'main')]));

describe('names in another case', () => {
  it.each([
    ['SELECT NAME FROM city', 'SELECT name FROM city'],
    ['SELECT lat FROM CITY', 'SELECT Lat FROM city'],
    ['SELECT x.LAT FROM City AS x', 'SELECT x.Lat FROM city AS x'],
    ['SELECT X.lat FROM City x', 'SELECT x.Lat FROM city x'],
    ['SELECT City.lat FROM city', 'SELECT city.Lat FROM city'],
    ['SELECT held.lat FROM City AS HELD', 'SELECT HELD.Lat FROM city AS HELD'],
    ['SELECT count(*) AS N FROM logs ORDER BY n', 'SELECT count(*) AS N FROM Logs ORDER BY N'],
    [
      'WITH Big AS (SELECT 1 AS A) SELECT a FROM big',
      'WITH Big AS (SELECT 1 AS A) SELECT A FROM Big',
    ],
    ['SELECT a.At FROM logs a, CITY b', 'SELECT a.at FROM Logs a, city b'],
    ['SELECT 1 FROM public.city', 'SELECT 1 FROM        city'],
    ['SELECT 1 FROM "public"."city"', 'SELECT 1 FROM          "city"'],
    ['SELECT public.city.NAME FROM PUBLIC.City', 'SELECT        city.name FROM        city'],
    ['DESCRIBE public.city', 'DESCRIBE        city'],
    ['SELECT main.city.name FROM main."city"', 'SELECT      city.name FROM      "city"'],
    ['SELECT 1 FROM main.city JOIN public.Logs USING (at)', 'SELECT 1 FROM      city JOIN        Logs USING (at)'], // prettier-ignore
    // Several SELECT lists may name the same column, each in another case.
    [
      'WITH a AS (SELECT 1 AS RETURNS), b AS (SELECT 2 AS Returns) SELECT sum(returns) AS returns FROM (SELECT returns FROM a UNION ALL SELECT RETURNS FROM b) x',
      'WITH a AS (SELECT 1 AS returns), b AS (SELECT 2 AS returns) SELECT sum(returns) AS returns FROM (SELECT returns FROM a UNION ALL SELECT returns FROM b) x',
    ],
    ['SELECT "LAT" FROM (SELECT 1 AS lat) t', 'SELECT "LAT" FROM (SELECT 1 AS LAT) t'],
    ['SELECT upper(NAME) AS NAME FROM city ORDER BY NAME', 'SELECT upper(name) AS NAME FROM city ORDER BY NAME'], // prettier-ignore
    ['SELECT NAME AS n FROM city WHERE NAME > 1 ORDER BY N', 'SELECT name AS n FROM city WHERE name > 1 ORDER BY n'], // prettier-ignore
    ['SELECT range FROM (SELECT 1 AS RANGE) t', 'SELECT RANGE FROM (SELECT 1 AS RANGE) t'],
    ['SELECT lat AS NAME FROM city ORDER BY NAME', 'SELECT Lat AS NAME FROM city ORDER BY NAME'],
    ['SELECT X.a FROM (SELECT 1 AS A) AS x', 'SELECT x.A FROM (SELECT 1 AS A) AS x'],
  ])('%s', (text, written) => {
    expect(names.written(text, ORGANIZATION)).toBe(written);
  });

  it.each([
    'SELECT name FROM city',
    'SELECT "NAME" FROM city',
    'SELECT `NAME` FROM city',
    "SELECT 'NAME' FROM city -- NAME",
    'SELECT USERID FROM Logs',
    'SELECT NAME(1) FROM city',
    'SELECT lat AS NAME FROM "CITY"',
    'SELECT 1 FROM "Public".city',
    'SELECT 1 FROM a.public.city',
    // These names may be distinguished by their case.
    'SELECT x, X FROM (SELECT 1 AS x) a, (SELECT 2 AS X) b',
    'SELECT t.id, t.ID FROM (SELECT 1 AS id, 2 AS ID) t',
    'SELECT X FROM (SELECT 1 AS x) a, (SELECT 2 AS X) b',
    'SELECT * FROM (SELECT 1 AS NAME FROM city) t',
    'SELECT name FROM city WHERE name = {NAME:String}',
    // Names in quotes are distinguished by their case.
    'SELECT "a", A FROM (SELECT 1 AS "a", 2 AS A)',
    // A name that the statement defines is no schema.
    'WITH main AS (SELECT 1 AS city) SELECT main.city FROM main',
    'SELECT main.city FROM (SELECT 1 AS city) main',
  ])('are not looked for: %s', (text) => {
    expect(names.written(text, ORGANIZATION)).toBe(undefined);
  });

  it('leave a column or a table of the name of a schema alone', () => {
    expect(withPublic.written('SELECT public.city FROM city', ORGANIZATION)).toBe(undefined);
    expect(withMain.written('SELECT main.city.name FROM city', ORGANIZATION)).toBe(undefined);
  });

  it('find the table of a schema behind FROM and JOIN, whatever a column is called', () => {
    expect(withMain.written('SELECT main FROM main.city', ORGANIZATION)).toBe('SELECT main FROM      city'); // prettier-ignore
    expect(withMain.written('SELECT 1 FROM city ARRAY JOIN main.city', ORGANIZATION)).toBe(undefined); // prettier-ignore
  });
});
