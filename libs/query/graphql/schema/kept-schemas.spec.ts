import type { TableDescription } from '../../catalog.js';
import { KeptSchemas, SCHEMA_COLUMNS_MAX } from './kept-schemas.js';
import { buildSchema } from './organization-schema.js';

const tables = (columns: number): readonly TableDescription[] => [
  {
    name: 't',
    columns: Array.from({ length: columns }, (_, n) => ({
      name: `c${n}`,
      type: 'Nullable(Int64)',
    })),
  },
];
const schema = buildSchema(tables(1), new Map());

describe('schemas that are kept', () => {
  it('are of so many columns at most, and it is said', () => {
    expect(() => KeptSchemas.check(tables(SCHEMA_COLUMNS_MAX))).not.toThrow();
    expect(() => KeptSchemas.check(tables(SCHEMA_COLUMNS_MAX + 1))).toThrow(
      /has 10001 columns, and GraphQL shows at most 10000/,
    );
  });

  it('push out their own organization’s, not those of others', () => {
    const kept = new KeptSchemas();
    kept.set('calm', 'calm 1', schema, tables(10));
    for (let n = 0; n < 1000; n += 1) kept.set('churn', `churn ${n}`, schema, tables(10));
    expect(kept.get('calm 1')).toBe(schema);
    expect(kept.get('churn 999')).toBe(schema);
    expect(kept.get('churn 998')).toBe(schema);
    expect(kept.get('churn 997')).toBeUndefined();
  });

  it('are bounded by their columns, the last used kept', () => {
    const kept = new KeptSchemas();
    for (const owner of ['a', 'b', 'c']) kept.set(owner, owner, schema, tables(20_000));
    expect(kept.get('a')).toBe(schema);
    kept.set('d', 'd', schema, tables(20_000));
    expect(['a', 'b', 'c', 'd'].filter((owner) => kept.get(owner))).toEqual(['a', 'c', 'd']);
  });
});
