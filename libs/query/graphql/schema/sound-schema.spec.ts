import fc from 'fast-check';
import { assertValidSchema, printSchema } from 'graphql';
import { Names } from './graphql-names.js';
import { soundSchema } from './sound-schema.js';

const RULE = /^(?!__)[A-Za-z_][A-Za-z0-9_]*$/;
const TYPES = ['Nullable(String)', 'Nullable(Int64)', 'JSON', 'Array(Nullable(Bool))'];
const odd = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.string({ unit: fc.constantFrom('_', '-', '.', 'é', '2', 'a', '3'), minLength: 1 }),
  fc.constantFrom('__proto__', 'constructor', 'and', 'or', 'not', '_and', 'Query', 'Sort', '_2'),
  fc.constantFrom('a_aggregate', 'a_filter', 'a', 'count', 'JSON', '__typename', '__2'),
);
const columnsOf = (names: readonly string[]) =>
  names.map((name, index) => ({ name, type: TYPES[index % TYPES.length] ?? '' }));

describe('names in GraphQL', () => {
  it('are such as GraphQL allows, and each once, whatever they are made of', () => {
    fc.assert(
      fc.property(fc.array(odd), (wanted) => {
        const names = new Names(['Query']);
        const given = wanted.map((name) => names.add(name));
        expect(given.filter((name) => !RULE.test(name) || name === 'Query')).toEqual([]);
        expect(new Set(given).size).toBe(given.length);
      }),
    );
  });

  it('stay as they are where they can', () => {
    const names = new Names([]);
    const wanted = ['a', '-', 'é', 'a.b', 'a_b', '9', '__x', '.'];
    expect(wanted.map((name) => names.add(name))).toEqual(
      ['a', '_', '_2', 'a_b', 'a_b_2', '_9', '_x', '_3'], // prettier-ignore
    );
  });
});

describe('the schema of an organization', () => {
  it('is sound whatever tables, columns and keys are called', () => {
    const table = fc.record({ name: odd, columns: fc.uniqueArray(odd, { minLength: 1 }) });
    const node = { plain: ['Int64'], object: undefined, elements: undefined };
    fc.assert(
      fc.property(
        fc.uniqueArray(table, { minLength: 1, maxLength: 6, selector: ({ name }) => name }),
        fc.uniqueArray(odd),
        (tables, keys) => {
          const shape = Object.fromEntries(keys.map((key) => [key, node]));
          const described = tables.map(({ name, columns }) => ({
            name,
            columns: columnsOf(columns),
          }));
          const shapes = new Map(
            described.map(({ name, columns }) => [
              name,
              new Map(
                columns.filter(({ type }) => type === 'JSON').map((each) => [each.name, shape]),
              ),
            ]),
          );
          const { schema, leftOut, roots } = soundSchema(described, shapes);
          expect(leftOut).toEqual([]);
          expect(roots.size).toBe(2 * tables.length);
          assertValidSchema(schema);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('leaves out a table that cannot be described, and says so', () => {
    const tables = [
      { name: 'good', columns: columnsOf(['a']) },
      { name: 'empty', columns: [] },
    ];
    const { schema, roots, leftOut } = soundSchema(tables, new Map());
    assertValidSchema(schema);
    expect([...roots.keys()]).toEqual(['good', 'good_aggregate']);
    expect(leftOut).toMatchObject([{ name: 'empty' }]);
    expect(printSchema(schema)).toMatch(/Left out, .*"empty" \(Type empty must define/);
  });
});
