import { randomBytes } from 'node:crypto';
import { ServerKey } from '@app/key-store';
import { Passcodes } from './passcode.js';

describe('passcodes', () => {
  const passcodes = new Passcodes(new ServerKey(randomBytes(32)));
  const owner = (id: string) => ({ id, passcode: passcodes.make(id) });

  it('are long, different, and known by their first letters', () => {
    const opened = Array.from({ length: 100 }, (_, n) => passcodes.open(owner(`O${n}`)) ?? '');
    expect(new Set(opened).size).toBe(100);
    for (const passcode of opened) expect(passcode).toMatch(/^mrp_[\w-]{40}$/);
  });

  it('are sealed where they are kept', () => {
    const { id, passcode } = owner('O');
    expect(passcode).not.toContain(passcodes.open({ id, passcode }));
    expect(() => passcodes.open({ id: 'OTHER', passcode })).toThrow();
  });

  it('match their own organization, until the next one', () => {
    const [first, other] = [owner('A'), owner('B')];
    const secret = passcodes.open(first) ?? '';
    expect([passcodes.matches(first, secret), passcodes.matches(first, secret)]).toEqual([
      true,
      true,
    ]);
    expect(passcodes.matches(other, secret)).toBe(false);
    expect(passcodes.matches({ ...first, passcode: passcodes.make('A') }, secret)).toBe(false);
    expect(passcodes.matches({ id: 'A', passcode: undefined }, secret)).toBe(false);
  });

  it('leave nothing in memory when they are changed', () => {
    for (let n = 0; n < 100; n += 1) {
      const changed = owner('A');
      expect(passcodes.matches(changed, passcodes.open(changed) ?? '')).toBe(true);
    }
    const { fingerprints } = passcodes as unknown as { fingerprints: ReadonlyMap<string, unknown> };
    expect([...fingerprints.keys()].filter((id) => id === 'A')).toEqual(['A']);
    expect(fingerprints.size).toBeLessThan(4);
  });

  it.each(['', 'mrp_', 'mrp_x', 'Secret-77'])('%j matches nothing', (secret) => {
    expect(passcodes.matches(owner('A'), secret)).toBe(false);
  });
});
