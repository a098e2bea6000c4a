import { CommandMarks } from './command-marks.js';
import { FoldedStates, type Folded } from './folded-states.js';

const decider = {};
const folded = (state: unknown): Folded<unknown> => ({
  state,
  revision: 0,
  position: 1n,
  marks: new CommandMarks(),
});

describe('folded states', () => {
  it('are given to the decider that made them, and to no other', () => {
    const states = new FoldedStates();
    states.keep('s', decider, folded(7), 10);
    expect(states.get('s', decider)?.state).toBe(7);
    expect(states.get('s', {})).toBeUndefined();
    states.drop('s');
    expect(states.get('s', decider)).toBeUndefined();
  });

  it('are bounded by their bytes: the least recently kept goes first', () => {
    const states = new FoldedStates(10_000);
    const large = folded('x'.repeat(3000));
    for (const stream of ['a', 'b', 'a', 'c', 'd']) states.keep(stream, decider, large, 0);
    const left = ['a', 'b', 'c', 'd'].filter((stream) => states.get(stream, decider));
    expect(left).toEqual(['c', 'd']);
  });

  it('do not have what is larger than all of them may be, however it grew', () => {
    const states = new FoldedStates(10_000);
    states.keep('a', decider, folded('x'.repeat(20_000)), 0);
    expect(states.get('a', decider)).toBeUndefined();
    for (let length = 100; length < 20_000; length += 100)
      states.keep('b', decider, folded('x'.repeat(length)), 100);
    expect(states.get('b', decider)).toBeUndefined();
    states.keep('c', decider, folded('x'), 0);
    expect(states.get('c', decider)).toBeDefined();
  });
});
