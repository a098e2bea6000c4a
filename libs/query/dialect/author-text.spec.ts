import { readableText } from './author-text.js';

/** On a machine with much else to do; what looks at each piece for each piece takes minutes. */
const QUICK_MS = 30_000;

describe('text as its author wrote it', () => {
  it.each([
    ["SELECT j -> 'a' ->> 'b' FROM t", "SELECT json_extract_string(j, 'a', 'b') FROM t"],
    ["SELECT j ->> 'a' -> 0", "SELECT json_extract(json_extract_string(j, 'a'), 0)"],
    ['SELECT j::jsonb -> -1', 'SELECT json_extract(j, -1)'],
    ["SELECT arrayMap(x -> 'a', l)", "SELECT arrayMap(x -> 'a', l)"],
    ['SELECT list_transform(l, x -> x + 1)', 'SELECT list_transform(l, (x) -> x + 1)'],
    ['SELECT f(l, lambda a, b: a + b)', 'SELECT f(l, (a, b) -> a + b)'],
    ['SELECT t.l[2:n + 1], l[:-2]', 'SELECT array_slice(t.l, 2, n + 1), array_slice(l, 1, -2)'],
    ['SELECT l[a ? 1 : 2], k.:Int64, x::Int8[1]', 'SELECT l[a ? 1 : 2], k.:Int64, x::Int8[1]'],
    ['SELECT ARRAY[1, 2], array[1]', 'SELECT [1, 2], array[1]'],
    ['SELECT a = ANY(l), a = ANY(SELECT 1)', "SELECT CAST(has(l, a), 'Bool'), a = ANY(SELECT 1)"],
    ["SELECT a LIKE 'x\\%' ESCAPE '\\', 1", "SELECT a LIKE 'x\\%', 1"],
    ["SELECT a LIKE '#%#_##' ESCAPE '#'", "SELECT a LIKE '\\\\%\\\\_#'"],
    ['SELECT a + 1 & b | c << 2 = 4', 'SELECT bitShiftLeft(bitOr(bitAnd(a + 1, b), c), 2) = 4'],
    ['SELECT u.x FROM t, UNNEST(l) AS u(x) WHERE 1', 'SELECT x FROM t ARRAY JOIN l AS x WHERE 1'],
    ['SELECT 1 FROM t LEFT JOIN UNNEST(l) u(x) ON true', 'SELECT 1 FROM t  LEFT ARRAY JOIN l AS x'],
    ['SELECT a, UNNEST(l) FROM t', 'SELECT a, UNNEST(l) FROM t'],
    ["SELECT 'x -> ''a'' & [1:2] ESCAPE'", "SELECT 'x -> ''a'' & [1:2] ESCAPE'"],
  ])('reads %s', (text, written) => {
    expect(readableText(text)).toBe(written);
  });

  it.each(['a & ', 'a, ', 'l[1:2], ', "j -> 'a', ", 'lambda ', 'unnest(a), ', 'a.', '[1]', '[:'])(
    'takes no time for a long text of %s',
    (piece) => {
      const begun = performance.now();
      readableText(`SELECT 1 & ${piece.repeat(200_000 / piece.length)} a`);
      expect(performance.now() - begun).toBeLessThan(QUICK_MS);
    },
  );
});
