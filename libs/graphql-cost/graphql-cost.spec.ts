import { buildSchema, getIntrospectionQuery, getOperationAST, parse } from 'graphql';
import { introspectionCost, selectedFields } from './graphql-cost.js';

const schema = buildSchema(`
  type Query { rows: [Row!]! }
  type Row { ${Array.from({ length: 1000 }, (_, n) => `f${n}: String`).join(' ')} }
`);
const MOST = 100_000;

const costOf = (text: string): number => {
  const document = parse(text);
  const operation = getOperationAST(document);
  if (!operation) throw new Error('no operation');
  return introspectionCost(schema, document, operation, {}, MOST);
};
const selectedOf = (text: string): number => {
  const document = parse(text);
  const operation = getOperationAST(document);
  if (!operation) throw new Error('no operation');
  return selectedFields(document, operation, MOST);
};

describe('the cost of a question about a schema', () => {
  it('is what is selected times what there is', () => {
    const one = costOf('{ __schema { types { fields { name } } } }');
    expect(one).toBeGreaterThan(1000);
    expect(one).toBeLessThan(1300);
    const ten = Array.from({ length: 10 }, (_, n) => `n${n}: name`).join(' ');
    expect(costOf(`{ __schema { types { fields { ${ten} } } } }`)).toBeGreaterThan(10_000);
    expect(costOf('{ __type(name: "Row") { fields { name } } }')).toBeLessThan(1010);
    expect(costOf('{ rows { f0 } }')).toBe(1);
  });

  it('has room for the question that tools ask, and ends above its bound', () => {
    expect(costOf(getIntrospectionQuery())).toBeLessThan(20_000);
    const aliases = Array.from({ length: 3000 }, (_, n) => `n${n}: name`).join(' ');
    expect(costOf(`{ __schema { types { fields { ${aliases} } } } }`)).toBe(MOST + 1);
  });

  it('counts fragments each time', () => {
    const doubling = (last: string): string =>
      Array.from({ length: 30 }, (_, n) => `fragment F${n} on __Type { ...F${n + 1} ...F${n + 1} }`)
        .concat(`fragment F30 on __Type { ${last} }`)
        .join(' ');
    const bomb = `{ __schema { types { ...F0 } } } ${doubling('name')}`;
    expect(costOf(bomb)).toBe(MOST + 1);
    expect(selectedOf(bomb)).toBe(MOST + 1);
  });

  it('comes to an end where fragments are within each other', () => {
    const names = Array.from({ length: 12 }, (_, n) => `F${n}`);
    const all = names.map((name) => `...${name}`).join(' ');
    const circle = names.map((name) => `fragment ${name} on __Type { ${all} }`).join(' ');
    expect(selectedOf(`{ __schema { types { ...F0 } } } ${circle}`)).toBe(MOST + 1);
    expect(selectedOf('{ rows { ...A } } fragment A on Row { f0 ...A }')).toBe(4);
  });
});
