import { OldGenerations } from './old-generations.js';

describe('generations of files that were replaced', () => {
  it('end one after the other, also while new ones keep coming', () => {
    const old = new OldGenerations(10);
    old.serve(1, 0);
    expect(old.afterEnd(100)).toBeUndefined();
    old.serve(2, 100);
    old.serve(3, 106);
    expect(old.afterEnd(109)).toBeUndefined();
    expect(old.afterEnd(110)).toEqual(new Set([2, 3]));
    old.serve(4, 112);
    expect(old.afterEnd(116)).toEqual(new Set([3, 4]));
    expect(old.afterEnd(122)).toEqual(new Set([4]));
    expect(old.afterEnd(1000)).toBeUndefined();
  });

  it('do not end by being told again', () => {
    const old = new OldGenerations(10);
    old.serve(1, 0);
    old.serve(1, 5);
    expect(old.afterEnd(100)).toBeUndefined();
  });
});
