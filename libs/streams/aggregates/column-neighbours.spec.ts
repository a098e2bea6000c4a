import type { Column } from '@app/warehouse';
import { ColumnNeighbours } from './column-neighbours.js';

const TYPES = {
  text: 'Nullable(String)',
  number: 'Nullable(Int64)',
  object: 'JSON',
  list: 'Array(Nullable(Int64))',
  objects: 'Array(JSON)',
} as const;

type Kind = keyof typeof TYPES;

const column = (name: string, kind: Kind): Column => ({ name, type: TYPES[kind] });

describe('columns of a stream beside each other', () => {
  it.each<[string, Kind, string, Kind]>([
    ['error', 'text', 'error.message', 'text'],
    ['a', 'number', 'a.size', 'number'],
    ['a', 'text', 'a.sizes', 'number'],
    ['a.b', 'text', 'a.b.c', 'text'],
    ['a', 'number', 'a.b', 'object'],
    ['_row.a', 'number', '_row.b', 'text'],
    ['a.b', 'object', 'a.c', 'list'],
    ['ab', 'object', 'a.b', 'text'],
    ['a.b', 'list', 'a.c', 'text'],
    ['a.b', 'list', 'b.b', 'list'],
    ['.a', 'list', '.b', 'list'],
    ['a', 'list', 'b', 'list'],
  ])('bear each other: %s (%s) and %s (%s)', (one, kind, other, otherKind) => {
    const [first, second] = [column(one, kind), column(other, otherKind)];
    expect(new ColumnNeighbours([first]).problemWith(second)).toBeUndefined();
    expect(new ColumnNeighbours([second]).problemWith(first)).toBeUndefined();
  });

  it.each<[string, Kind, string, Kind]>([
    ['a', 'object', 'a.x', 'number'],
    ['a', 'object', 'a.x.y', 'number'],
    ['a.x', 'object', 'a.x.y', 'list'],
    ['s', 'list', 's.size0', 'number'],
    ['s', 'list', 's.null', 'number'],
    ['s', 'list', 's.arr', 'list'],
    ['s', 'objects', 's.k', 'text'],
    ['a', 'number', 'a.null', 'number'],
    ['a', 'text', 'a.size', 'number'],
    ['a', 'text', 'a.size.null', 'number'],
    ['a', 'number', 'a.b', 'list'],
    ['a', 'number', 'a.b.c', 'list'],
    ['a.b', 'list', 'a.c', 'list'],
    ['a.b', 'list', 'a.b.c', 'objects'],
  ])('do not: %s (%s) and %s (%s)', (one, kind, other, otherKind) => {
    const [first, second] = [column(one, kind), column(other, otherKind)];
    expect(new ColumnNeighbours([first]).problemWith(second)).toContain(JSON.stringify(one));
    expect(new ColumnNeighbours([second]).problemWith(first)).toContain(JSON.stringify(other));
  });

  it('are none that the engine keeps for itself', () => {
    const neighbours = new ColumnNeighbours([]);
    expect(neighbours.problemWith(column('a.null', 'list'))).toMatch(/^cannot be a list.*"a_null"/);
    expect(neighbours.problemWith(column('a.size0', 'objects'))).toMatch(/^cannot be a list/);
    expect(neighbours.problemWith(column('a.b.size0', 'list'))).toBeUndefined();
    expect(neighbours.problemWith(column('_row.x', 'list'))).toContain('"_row"');
    expect(neighbours.problemWith(column('a.null', 'text'))).toBeUndefined();
  });

  it('say which is in the way, and what to call it', () => {
    const neighbours = new ColumnNeighbours([column('a.x', 'number'), column('b.x', 'list')]);
    expect(neighbours.problemWith(column('a', 'object'))).toBe(
      'cannot stand beside the field "a.x": the engine takes one for a part of the other; rename one of them, e.g. to "a_x"',
    );
    expect(neighbours.problemWith(column('b.y', 'list'))).toBe(
      'cannot stand beside the field "b.x": the engine wants lists whose names are equal before the first dot to be of one length; rename one of them, e.g. to "b_y"',
    );
  });
});
