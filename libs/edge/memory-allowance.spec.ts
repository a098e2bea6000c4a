import { MemoryAllowance } from './memory-allowance.js';

describe('an allowance of memory', () => {
  it('is given only as far as there is some, and given back', () => {
    const memory = new MemoryAllowance(100);
    expect(memory.take(60)).toBe(true);
    expect(memory.take(60)).toBe(false);
    expect(memory.take(100, 60)).toBe(true);
    expect(memory.take(1)).toBe(false);
    memory.giveBack(100);
    expect(memory.take(100)).toBe(true);
  });
});
