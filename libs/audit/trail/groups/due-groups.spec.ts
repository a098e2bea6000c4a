import { dueGroups } from './due-groups.js';

const waiting = new Map([
  ['a', [1]],
  ['b', [1, 2, 3, 4]],
  ['c', [1, 2, 3]],
]);
const names = (toWrite: number): readonly string[] =>
  dueGroups(waiting, toWrite).map(([name]) => name);

describe('groups that are due', () => {
  it('are the longest ones, with at least as many entries as are to be written', () => {
    expect(names(1)).toEqual(['b']);
    expect(names(4)).toEqual(['b']);
    expect(names(5)).toEqual(['b', 'c']);
  });

  it('are all of them where all entries are to be written, and none where none is', () => {
    expect(names(8)).toEqual(['b', 'c', 'a']);
    expect(names(0)).toEqual([]);
  });
});
