import { whyNoRoom } from './fair-room.js';

describe('the room of a queue', () => {
  const maxBytes = 1_000_000;

  it('is for nobody beyond its bound', () => {
    const full = { maxBytes, waiting: 900_000, own: 0 };
    expect(whyNoRoom({ ...full, bytes: 100_000 })).toBeUndefined();
    expect(whyNoRoom({ ...full, bytes: 100_001 })).toBe('full');
  });

  it('ends for one that floods at half', () => {
    const flood = { maxBytes, waiting: 400_000, own: 400_000 };
    expect(whyNoRoom({ ...flood, bytes: 100_000 })).toBeUndefined();
    expect(whyNoRoom({ ...flood, bytes: 100_001 })).toBe('share');
  });

  it('has some time place for what is larger than half, also of one that sends a little all the time', () => {
    const trickle = { maxBytes, waiting: 9_999, own: 9_999 };
    expect(whyNoRoom({ ...trickle, bytes: 900_000 })).toBeUndefined();
    expect(whyNoRoom({ maxBytes, waiting: 10_000, own: 10_000, bytes: 900_000 })).toBe('share');
  });
});
