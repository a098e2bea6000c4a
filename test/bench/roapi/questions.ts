import type { SmallRequest } from '../hammered.js';

export interface Question {
  readonly name: string;
  /** A statement that both programs understand, with names for all its columns and an order for all its rows. */
  readonly sql: string;
}

const asked = (questions: Readonly<Record<string, string>>): readonly Question[] =>
  Object.entries(questions).map(([name, sql]) => ({ name, sql }));

/** Questions about TPC-H's `lineitem`: 6,001,215 rows at scale 1. */
export const OVER_LINEITEM = asked({
  'count of all': 'SELECT count(*) AS n FROM lineitem',
  'sum of a column': 'SELECT sum(l_quantity) AS s FROM lineitem',
  'average of a column': 'SELECT avg(l_discount) AS a FROM lineitem',
  'least and greatest': 'SELECT min(l_shipdate) AS a, max(l_shipdate) AS b FROM lineitem',
  'filter on text': "SELECT count(*) AS n FROM lineitem WHERE l_shipmode = 'AIR'",
  'filter on a number': 'SELECT count(*) AS n FROM lineitem WHERE l_linenumber = 7',
  'range of days':
    "SELECT count(*) AS n FROM lineitem WHERE l_shipdate >= DATE '1995-01-01' AND l_shipdate < DATE '1995-02-01'",
  LIKE: "SELECT count(*) AS n FROM lineitem WHERE l_comment LIKE '%special%'",
  'LIKE by mode':
    "SELECT l_shipmode, count(*) AS n FROM lineitem WHERE l_comment LIKE '%final%deposits%' GROUP BY l_shipmode ORDER BY l_shipmode",
  'distinct of 10,000': 'SELECT count(DISTINCT l_suppkey) AS n FROM lineitem',
  'distinct of 200,000': 'SELECT count(DISTINCT l_partkey) AS n FROM lineitem',
  'distinct of 1,500,000': 'SELECT count(DISTINCT l_orderkey) AS n FROM lineitem',
  'group by few':
    'SELECT l_shipmode, count(*) AS n FROM lineitem GROUP BY l_shipmode ORDER BY l_shipmode',
  'TPC-H 1':
    "SELECT l_returnflag, l_linestatus, sum(l_quantity) AS q, sum(l_extendedprice) AS p, sum(l_extendedprice * (1 - l_discount)) AS d, avg(l_quantity) AS a, count(*) AS n FROM lineitem WHERE l_shipdate <= DATE '1998-09-02' GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus",
  'TPC-H 6':
    "SELECT sum(l_extendedprice * l_discount) AS revenue FROM lineitem WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24",
  'group by 10,000':
    'SELECT l_suppkey, sum(l_extendedprice) AS s FROM lineitem GROUP BY l_suppkey ORDER BY s DESC, l_suppkey LIMIT 10',
  'group by 200,000':
    'SELECT l_partkey, count(*) AS n FROM lineitem GROUP BY l_partkey ORDER BY n DESC, l_partkey LIMIT 10',
  'group by 1,500,000':
    'SELECT l_orderkey, sum(l_quantity) AS q FROM lineitem GROUP BY l_orderkey HAVING sum(l_quantity) > 200 ORDER BY l_orderkey LIMIT 100',
  'sums under conditions':
    "SELECT sum(CASE WHEN l_shipmode IN ('AIR', 'RAIL') THEN 1 ELSE 0 END) AS a, sum(CASE WHEN l_tax > 0.05 THEN l_quantity ELSE 0 END) AS b FROM lineitem",
  'a window over groups':
    'SELECT l_shipmode, n, rank() OVER (ORDER BY n DESC) AS place FROM (SELECT l_shipmode, count(*) AS n FROM lineitem GROUP BY l_shipmode) AS modes ORDER BY place, l_shipmode',
  'the first ten by price':
    'SELECT l_orderkey, l_linenumber, l_extendedprice FROM lineitem ORDER BY l_extendedprice DESC, l_orderkey, l_linenumber LIMIT 10',
  'rows of one order':
    'SELECT l_orderkey, l_linenumber, l_quantity FROM lineitem WHERE l_orderkey = 59876 ORDER BY l_linenumber',
  '100,000 rows out':
    'SELECT l_orderkey, l_linenumber, l_quantity, l_shipdate FROM lineitem WHERE l_orderkey < 100040 ORDER BY l_orderkey, l_linenumber',
});

/** Questions about the rows of `writeVisits`. */
export const OVER_CSV = asked({
  'count of all': 'SELECT count(*) AS n FROM visits',
  'group by':
    'SELECT city, count(*) AS n, sum(amount) AS s FROM visits GROUP BY city ORDER BY city',
  LIKE: "SELECT count(*) AS n FROM visits WHERE note LIKE '%77%'",
});

/**
 * Questions about the 37 rows of `uk_cities_with_headers.csv`: one is the same each time, so the
 * edge program has kept its answer, and one is new each time.
 */
export const SMALL: readonly SmallRequest[] = [
  { name: 'key-value', method: 'GET', path: '/api/kv/names/key7' },
  { name: 'schema', method: 'GET', path: '/api/schema/cities' },
  {
    name: 'SQL',
    method: 'POST',
    path: '/api/sql',
    body: 'SELECT city, lat FROM cities WHERE lat > 51 ORDER BY lat LIMIT 10',
  },
  {
    name: 'SQL, another value each time',
    method: 'POST',
    path: '/api/sql',
    body: 'SELECT city, lat FROM cities WHERE lat > 51.00{n} ORDER BY lat LIMIT 10',
  },
  {
    name: 'REST',
    method: 'GET',
    path: '/api/tables/cities?columns=city,lat&filter[lat]gt=51&sort=lat&limit=10',
  },
  {
    name: 'REST, another value each time',
    method: 'GET',
    path: '/api/tables/cities?columns=city,lat&filter[lat]gt=51.00{n}&sort=lat&limit=10',
  },
  {
    name: 'GraphQL',
    method: 'POST',
    path: '/api/graphql',
    body: '{ cities(filter: {lat: {gt: 51}}, sort: [{field: "lat"}], limit: 10) { city lat } }',
  },
  {
    name: 'GraphQL, another value each time',
    method: 'POST',
    path: '/api/graphql',
    body: '{ cities(filter: {lat: {gt: 51.00{n}}}, sort: [{field: "lat"}], limit: 10) { city lat } }',
  },
];
