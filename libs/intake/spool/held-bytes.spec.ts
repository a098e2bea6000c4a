import { HeldBytes } from './held-bytes.js';

describe('bodies that wait', () => {
  it('of one owner leave room for others, and give it back however they end', async () => {
    const memory = new HeldBytes(1000);
    const ends: (() => void)[] = [];
    const held = (owner: string): Promise<void> =>
      memory.during(owner, 100, () => new Promise<void>((end) => ends.push(end)));
    const flood = Array.from({ length: 20 }, () => held('flood').then(() => 'held', String));
    await new Promise(setImmediate);
    expect(ends).toHaveLength(5);
    const calm = held('calm');
    await new Promise(setImmediate);
    expect(ends).toHaveLength(6);
    for (const end of ends) end();
    await calm;
    const outcomes = await Promise.all(flood);
    expect(outcomes.filter((each) => each.includes('nothing of this one was stored'))).toHaveLength(
      15,
    );
    await expect(
      memory.during('flood', 100, () => Promise.reject(new Error('bad'))),
    ).rejects.toThrow('bad');
    // All of the memory is free again.
    expect(await memory.during('flood', 1000, () => Promise.resolve('all'))).toBe('all');
  });
});
