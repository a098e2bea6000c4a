import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { seal, unseal } from './seal.js';

describe('a sealed text', () => {
  const key = randomBytes(32);

  it('opens with the same key for the same thing, whatever it holds', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.string(),
        (text, thing) => unseal(key, seal(key, text, thing), thing) === text,
      ),
    );
  });

  it('does not open with another key, for another thing, or changed', () => {
    const sealed = seal(key, 'ann@example.com', 'user-1');
    expect(sealed).not.toContain('ann');
    expect(() => unseal(randomBytes(32), sealed, 'user-1')).toThrow();
    expect(() => unseal(key, sealed, 'user-2')).toThrow();
    const last = sealed.at(-2) === 'A' ? 'B' : 'A';
    expect(() => unseal(key, sealed.slice(0, -2) + last + sealed.slice(-1), 'user-1')).toThrow();
  });

  it('is another text each time', () => {
    expect(seal(key, 'same', 'x')).not.toBe(seal(key, 'same', 'x'));
  });
});
