import fc from 'fast-check';
import { MillraceError } from '@app/platform';
import { joinClauses, splitStatement } from './statement-clauses.js';
import { automaticInterval, intervalOfCount, readInterval } from './histogram.js';
import { toHits } from './hits.js';
import { expandFunctions } from './search-functions.js';
import { readRange } from './search-request.js';
import { tokenize } from './statement-tokens.js';

const DAY = 86_400;

const codeOf = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return error instanceof MillraceError ? error.code : error;
  }
};

describe('a statement in its clauses', () => {
  it.each([
    "SELECT a, f(b, 'x FROM y') AS where FROM logs AS l WHERE (a OR b) AND (x = 1) GROUP BY a WITH TOTALS HAVING c > 1 ORDER BY a ASC WITH FILL LIMIT 5 BY a LIMIT 3, 4",
    'WITH x AS (SELECT 1 FROM y) SELECT `GROUP BY`, t.FROM FROM x ARRAY JOIN q PREWHERE 1 WHERE 2 QUALIFY 3 LIMIT 1 OFFSET 2',
    'SELECT DISTINCT * EXCEPT a FROM logs',
    'SELECT by, BY FROM logs WHERE by = 1 GROUP BY by ORDER BY by ASC',
  ])('is joined as it was: %s', (statement) => {
    const { compound, clauses } = splitStatement(statement);
    expect(compound).toBe(false);
    expect(joinClauses(clauses)).toBe(statement);
  });

  it('tells where each begins', () => {
    const { clauses, selected } = splitStatement(
      "SELECT a, count(x, 'y') AS n FROM logs WHERE f('WHERE') GROUP BY a LIMIT 2 BY a",
    );
    expect(Object.fromEntries(clauses)).toEqual({
      SELECT: "a, count(x, 'y') AS n",
      FROM: 'logs',
      WHERE: "f('WHERE')",
      'GROUP BY': 'a',
      'LIMIT BY': '2 BY a',
    });
    expect(selected).toEqual(['a', "count(x, 'y') AS n"]);
  });

  it('leaves what is no clause of a search with the one before it', () => {
    const statement = 'SELECT a FROM logs ORDER BY a ASC FORMAT JSON';
    expect(splitStatement(statement).clauses.get('ORDER BY')).toBe('a ASC FORMAT JSON');
    expect(() => splitStatement(`SELECT ${'['.repeat(2000)}${']'.repeat(2000)}`)).toThrow(
      'too many brackets',
    );
  });

  it.each([
    'SELECT a FROM x UNION ALL SELECT b FROM y',
    '(SELECT 1) EXCEPT (SELECT 2)',
    'SELECT a FROM x INTERSECT (SELECT b FROM y)',
  ])('leaves several together: %s', (statement) => {
    expect(splitStatement(statement).compound).toBe(true);
  });

  it('loses nothing of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const pieces = tokenize(text).map((token) => token.text);
        expect(pieces.join('')).toBe(
          text.replace(/\s+/g, (space) => (pieces.some((p) => p.includes(space)) ? space : '')),
        );
      }),
    );
  });
});

describe('hits', () => {
  it('are the rows without what is null, with numbers as they were', () => {
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom(null, '', 'a"b\\', '{,}', '}'),
    );
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), value, { maxKeys: 6 })), (rows) => {
        const hits = toHits(rows.map((row) => JSON.stringify(row)).join('\n'));
        expect(hits.map((hit) => JSON.parse(hit) as unknown)).toEqual(
          rows.map(
            (row) =>
              JSON.parse(
                JSON.stringify(
                  Object.fromEntries(Object.entries(row).filter(([, each]) => each !== null)),
                ),
              ) as unknown,
          ),
        );
      }),
    );
    expect(toHits('{"a":9223372036854775807,"b":{"c":null},"d":null}\n')).toEqual([
      '{"a":9223372036854775807,"b":{"c":null}}',
    ]);
  });

  it('carry times as microseconds', () => {
    expect(
      toHits('{"_timestamp":"2023-11-14T22:13:20.123456Z","t":"2023-11-14T22:13:20Z"}'),
    ).toEqual(['{"_timestamp":1700000000123456,"t":"2023-11-14T22:13:20Z"}']);
  });
});

describe('histogram', () => {
  it.each([
    [undefined, 3600],
    [61 * DAY, DAY],
    [60 * DAY, DAY],
    [30 * DAY, 12 * 3600],
    [28 * DAY, 6 * 3600],
    [7 * DAY, 3600],
    [6 * 3600, 3600],
    [2 * 3600, 60],
    [3600, 30],
    [1800, 15],
    [60, 10],
    [9, 1],
    [0, 1],
  ])('of a range of %p s has buckets of %i s', (range, interval) => {
    expect(automaticInterval(range)).toBe(interval);
  });

  it.each([
    ['30 second', 30],
    ['5 minutes', 300],
    ['1h', 3600],
    ['2 days', 2 * DAY],
    ['1 week', 7 * DAY],
    ['15 min', 900],
    ['1 sec', 1],
    ['0 second', 20001],
    ['5', 20001],
    ['5 parsec', 20001],
    ['999999999 weeks', 20001],
  ])('%s', (text, expected) => {
    expect(codeOf(() => readInterval(text))).toBe(expected);
  });

  it('takes a number of buckets', () => {
    expect([intervalOfCount(100, 3600), intervalOfCount(100, 10)]).toEqual([36, 1]);
    expect(codeOf(() => intervalOfCount(100, undefined))).toBe(20001);
    expect(codeOf(() => intervalOfCount(0, 100))).toBe(20001);
  });
});

describe('functions of search', () => {
  const context = { fullTextColumns: ['log'], rangeSeconds: 60 };
  it.each([
    ["SELECT str_match(a, 'x(')", "SELECT (position(a, 'x(') > 0)"],
    [
      "SELECT re_not_match(lower(a), str_match(b, 'c'))",
      "SELECT (NOT match(lower(a), (position(b, 'c') > 0)))",
    ],
    ["SELECT 'match_all(1)' AS `match_all`", "SELECT 'match_all(1)' AS `match_all`"],
    ['SELECT histogram(5)(x)', 'SELECT histogram(5)(x)'],
    [
      'SELECT _timestamp >= 1700000000000000',
      'SELECT _timestamp >= fromUnixTimestamp64Micro(1700000000000000)',
    ],
    ['SELECT n >= 1700000000000000', 'SELECT n >= 1700000000000000'],
    [
      "SELECT match_all('Foo bar*')",
      "SELECT ((hasAllTokens(lowerUTF8(ifNull(`log`, '')), lowerUTF8('Foo')) AND match(lowerUTF8(ifNull(`log`, '')), '(?:^|[\\\\x00-\\\\x2f\\\\x3a-\\\\x40\\\\x5b-\\\\x60\\\\x7b-\\\\x7f])bar')))",
    ],
  ])('%s', (statement, expanded) => {
    expect(expandFunctions(statement, context)).toBe(expanded);
  });

  it.each([
    ['SELECT nope(a)', 20005],
    ['SELECT str_match(a)', 20001],
    ['SELECT match_all(a)', 20001],
    ['SELECT histogram(a, b)', 20001],
    ["SELECT histogram(a, '1 h', 'Nowhere/Town')", 20001],
    ["SELECT histogram(a, '1 h', 2)", 20001],
  ])('%s: %i', (statement, code) => {
    expect(codeOf(() => expandFunctions(statement, context))).toBe(code);
  });

  it('look into no column where there is none', () => {
    expect(
      codeOf(() => expandFunctions("SELECT match_all('a')", { ...context, fullTextColumns: [] })),
    ).toBe(20003);
  });
});

describe('a time range', () => {
  it.each([
    [0, 0, { start: undefined, end: undefined }],
    [1700000000000000, 0, { start: 1700000000000000, end: undefined }],
    [1700000000000000, 1700000000000000, { start: 1700000000000000, end: 1700000000000000 }],
    [1700000000, 0, 20001],
    [0, 1700000000, 20001],
    [1700000000000001, 1700000000000000, 20001],
  ])('%i to %i', (start, end, expected) => {
    expect(codeOf(() => readRange(start, end))).toEqual(expected);
  });
});
