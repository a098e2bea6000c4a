import { inspectTree } from './inspect-tree.js';

/** A node of the engine's print: its line, and the lines of its children. */
type Printed = readonly [string, ...Printed[]];

const list = (...children: Printed[]): Printed => ['LIST', ...children];
const from = (name: string): Printed => ['JOIN TREE', [`IDENTIFIER, identifier: ${name}`]];
const query = (...sections: Printed[]): Printed => ['QUERY', ...sections];
/** A query in WITH, with its name. */
const named = (name: string, ...sections: Printed[]): Printed => [
  `QUERY, is_subquery: 1, is_cte: 1, cte_name: ${name}`,
  ...sections,
];
const within = (...expressions: Printed[]): Printed => ['WITH', list(...expressions)];
const reading = (inner: Printed): Printed => ['JOIN TREE', inner];

/** Prints a tree as the engine numbers and indents it. */
function print(tree: Printed): string {
  let nodes = 0;
  const lines: string[] = [];
  const add = ([line, ...children]: Printed, indent: number): void => {
    const [kind = '', ...attributes] = line.split(', ');
    const isNode = !/^(?:WITH|JOIN TREE|QUERIES|TABLE EXPRESSION)$/.test(kind);
    const told = isNode ? [`${kind} id: ${nodes++}`, ...attributes].join(', ') : kind;
    lines.push(' '.repeat(indent) + told);
    for (const child of children) add(child, indent + 2);
  };
  add(tree, 0);
  return lines.join('\n');
}

const looseIn = (tree: Printed): string[] => {
  const { loose, unknown } = inspectTree(print(tree));
  expect(unknown).toEqual([]);
  return [...loose].sort();
};

describe('a name in FROM', () => {
  it('is an expression behind its definition, at any depth', () => {
    const one = named('n', from('t'));
    expect(looseIn(query(within(one), from('n')))).toEqual(['t']);
    expect(looseIn(query(within(one), reading(query(reading(query(from('n')))))))).toEqual(['t']);
    expect(looseIn(query(within(one, named('m', from('n'))), from('m')))).toEqual(['t']);
  });

  it('may be a table within its own definition, and before it', () => {
    expect(looseIn(query(within(named('n', from('n'))), from('n')))).toEqual(['n']);
    const deep = named('n', reading(query(from('n'))));
    expect(looseIn(query(within(deep), from('n')))).toEqual(['n']);
    const circle = within(named('n', from('m')), named('m', from('n')));
    expect(looseIn(query(circle, from('n')))).toEqual(['m']);
  });

  it('may be a table outside of the query that names the expression', () => {
    const inner = query(within(named('n', from('t'))), from('n'));
    const beside: Printed = ['IDENTIFIER, identifier: n'];
    const both: Printed = ['CROSS JOIN', ['TABLE EXPRESSION', inner], ['TABLE EXPRESSION', beside]];
    expect(looseIn(query(reading(both)))).toEqual(['n', 't']);
  });

  it('may be a table where several expressions have it: what one reads may come back to the other', () => {
    const inner = named('a', within(named('n', from('t'))), from('n'));
    expect(looseIn(query(within(inner, named('n', from('a'))), from('n')))).toEqual(['n', 't']);
  });

  it('is one expression in all queries of a union', () => {
    const each = query(within(named('n', from('t'))), from('n'));
    expect(looseIn(['UNION, union_mode: UNION_ALL', ['QUERIES', list(each, each)]])).toEqual(['t']);
  });
});
