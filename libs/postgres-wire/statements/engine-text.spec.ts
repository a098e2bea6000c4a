import { processorMs } from '../../../test/processor-time.js';
import { engineText } from './engine-text.js';
import { statementsOf } from './postgres-tokens.js';

const written = (text: string) => {
  const [statement] = statementsOf(text);
  if (!statement) throw new Error('there is no statement');
  const placeholder = (number: number, cast: unknown) => ({
    text: `<${number}>`,
    isCast: cast !== undefined,
  });
  return engineText(statement, placeholder, 'db');
};

describe('a statement with PostgreSQL’s texts', () => {
  it.each([
    ["SELECT 'a'", "SELECT 'a'"],
    [String.raw`SELECT 'a\n'`, String.raw`SELECT 'a\\n'`],
    [String.raw`SELECT E'a\n\x41\'b'`, "SELECT 'a\nA\\'b'"],
    ["SELECT $$it's$$, $t$a$$b$t$", String.raw`SELECT 'it\'s', 'a$$b'`],
    ['SELECT "a\\b", "c""d"', 'SELECT "a\\\\b", "c""d"'],
    ['SELECT 1 /* a /* b */ c */ + 2 -- d', 'SELECT 1                   + 2'],
    ['SELECT $1, $12::int4, $2::numeric(3, 1)', 'SELECT <1>, <12>, <2>::numeric(3, 1)'],
    ['SELECT $1::double precision + $2::text[]', 'SELECT <1> + <2>'],
    ['SELECT a = ANY($1), a <> ALL (ARRAY[1])', 'SELECT a   IN(<1>), a   NOT IN (ARRAY[1])'],
    [
      "SELECT a = ANY('{}'), a <> ALL ('{1,NULL}'::int[])",
      "SELECT a   IN(), a   NOT IN ('1', NULL)",
    ],
    ["SELECT a = ANY('{x,it''s}'), b('{1}')", String.raw`SELECT a   IN('x', 'it\'s'), b('{1}')`],
    [
      String.raw`SELECT '\x00fF'::bytea, '\x0'::bytea`,
      String.raw`SELECT unhex('00fF'), '\\x0'::bytea`,
    ],
    ['SELECT a=any($1::"int8"[]),b<>all($2)', 'SELECT a IN(<1>),b NOT IN(<2>)'],
    ['SELECT a = ANY (SELECT 1)', 'SELECT a = ANY (SELECT 1)'],
    ['SELECT 1 = ANY(a), 2 <> ALL (t.b)', 'SELECT 1 = ANY(a), 2 <> ALL (t.b)'],
    [
      `SELECT '{1,NULL}'::int[], '{"a,b"}' :: "text" [ ], '{}'::float8[]`,
      `SELECT ['1'::int, NULL]::int[], ['a,b'::"text"] :: "text" [ ], []::float8[]`,
    ],
    ["SELECT 'a'::text[], '{1}'::jsonb", "SELECT 'a'::text[], '{1}'::jsonb"],
    ['SELECT a FROM "db"."public"."t", db.public.u', 'SELECT a FROM "public"."t", public.u'],
    ['SELECT x.public.t, a.db.public.t, db.t', 'SELECT x.public.t, a.db.public.t, db.t'],
    ["SELECT 1 LIMIT ('5'::int4) OFFSET '2'::int8", 'SELECT 1 LIMIT (5) OFFSET 2'],
    ["SELECT 'limit' LIMIT '5'  OFFSET '2'", "SELECT 'limit' LIMIT 5  OFFSET 2"],
  ])('%s becomes %s', (text, expected) => {
    expect(written(text).text).toBe(expected);
  });

  it('knows where its pieces stood', () => {
    const text = String.raw`SELECT E'\n', $1::int, 'a\b', nope`;
    const { text: engine, placeOf } = written(text);
    expect(placeOf(engine.indexOf('nope'))).toBe(text.indexOf('nope'));
    expect(placeOf(engine.indexOf('<1>'))).toBe(text.indexOf('$1'));
    expect(placeOf(0)).toBe(0);
  });

  it.each([
    ['SELECT 1; SELECT 2 ;; ', ['SELECT 1', 'SELECT 2']],
    ['SELECT \';\'; -- ; \nSELECT ";"', ["SELECT ';'", 'SELECT ";"']],
    ['/* ; */', []],
    ['SELECT $$;$$', ['SELECT $$;$$']],
  ])('%s is cut at its semicolons', (text, statements) => {
    expect(statementsOf(text).map((statement) => statement.text)).toEqual(statements);
  });

  it.each(["SELECT 'a", 'SELECT "a', 'SELECT $$a', '/* a /* */'])('%s has no end', (text) => {
    expect(() => statementsOf(text)).toThrow(/unterminated/);
  });

  it('reads many lists in a short time', () => {
    const begun = processorMs();
    expect(written(`SELECT ${Array(10_000).fill("a = ANY('{1}')").join(' OR ')}`).text).toContain(
      "IN('1')",
    );
    expect(processorMs() - begun).toBeLessThan(1500);
  });
});
