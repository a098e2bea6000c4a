import { processorMs } from '../../../test/processor-time.js';
import { parameterTypes, textsOfBytes } from './parameter-types.js';
import { statementsOf } from './postgres-tokens.js';

const COLUMNS = [
  { name: 'id', type: 'Nullable(Int32)' },
  { name: 'price', type: 'Decimal(12, 2)' },
  { name: 'at', type: "DateTime64(6, 'UTC')" },
  { name: 'name', type: 'String' },
  { name: 'f', type: 'Float64' },
];
const OIDS = {
  ...{ bool: 16, int8: 20, int4: 23, text: 25, float8: 701, timestamptz: 1184, numeric: 1700 },
};

const typesOf = (text: string): readonly number[] =>
  statementsOf(`SELECT ${text}`).flatMap(({ tokens }) => parameterTypes(tokens, [], COLUMNS));

describe('parameters without a declared type', () => {
  it.each<[string, ...(keyof typeof OIDS)[]]>([
    ['id = $1, $2 < price', 'int4', 'numeric'],
    ['id + $1 AS x, CAST($2 AS int), $3 AS y', 'int4', 'text', 'text'],
    ['extract(year FROM at) = $1', 'numeric'],
    ['1 FROM t HAVING count(*) > $1 AND sum(id) > $2 AND sum(price) > $3', 'int8', 'int8', 'numeric'], // prettier-ignore
    ['length(name) BETWEEN $1 AND $2', 'int4', 'int4'],
    ['length(name) NOT BETWEEN $1 AND $2', 'int4', 'int4'],
    ['coalesce(f, 0) > $1, coalesce($2, at)', 'float8', 'timestamptz'],
    ['mod(id, 2) IN ($1, $2)', 'int4', 'int4'],
    ['(id % $1) = $2, (id > 1) = $3', 'int4', 'int4', 'bool'],
    ["date_trunc('day', at) = $1", 'timestamptz'],
    ['id::bigint = $1, cast(id AS float8) = $2', 'int8', 'float8'],
    ["at > now() - $1 * INTERVAL '1 day', INTERVAL '1 hour' * $2", 'float8', 'float8'],
    ['round(f, $1), repeat(name, $2), left(upper(name), $3)', 'int4', 'int4', 'int4'],
    ['$1 < abs(id), $2 = -id, $3 = t.price', 'int4', 'int4', 'numeric'],
    ['lower(name) = $1, name || $2', 'text', 'text'],
    ['x FROM generate_series($1, $2)', 'int8', 'int8'],
    ['id IS DISTINCT FROM $1, price IS NOT DISTINCT FROM $2', 'int4', 'numeric'],
    ['sum(CASE WHEN id > $1 THEN $2 ELSE 0 END)', 'int4', 'int8'],
    ["CASE WHEN name = $1 THEN CASE WHEN f > $2 THEN 'a' ELSE $3 END ELSE $4 END", 'text', 'float8', 'text', 'text'], // prettier-ignore
    ['CASE id WHEN 1 THEN $1 WHEN 2 THEN t.price ELSE $2 END', 'numeric', 'numeric'],
  ])('%s', (text, ...types) => {
    expect(typesOf(text)).toEqual(types.map((type) => OIDS[type]));
  });

  it('leave texts of hexadecimal digits bytes only beside bytes', () => {
    const columns = [...COLUMNS, { name: 'b', type: 'Nullable(SimpleAggregateFunction(min, String))' }]; // prettier-ignore
    const bytesOf = (text: string) =>
      statementsOf(text).flatMap(({ tokens }) =>
        [...textsOfBytes(tokens, columns)].map((at) => tokens[at]?.value),
      );
    expect(
      bytesOf(
        String.raw`SELECT '\x01' FROM t WHERE b = '\x02' OR name = '\x03' OR b IN ('\x04', 'x') OR '\x05' < b`,
      ),
    ).toEqual(['\\x02', '\\x04', '\\x05']);
  });

  it('are found in a short time, many beside one value', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => `$${index + 1}`).join(', ');
    const begun = processorMs();
    for (const text of [
      `greatest(id, ${many})`,
      `power(${many})`,
      `coalesce(${many}) IN (${many})`,
      `CASE ${many.replaceAll(',', ' WHEN id > 0 THEN')} END`,
      `${many.replaceAll(', ', ' + CASE WHEN id > 0 THEN ')}${' END'.repeat(19_999)}`,
      `${'abs('.repeat(5000)}id${')'.repeat(5000)} IN (${many})`,
    ])
      // prettier-ignore
      expect(typesOf(text)).toHaveLength(20_000);
    expect(processorMs() - begun).toBeLessThan(4000);
  });
});
