import type { Caller, RequestOrganization } from '@app/platform';
import { OpenTails } from './open-tails.js';

describe('open tails', () => {
  const begin = (tails: OpenTails, share: string, userId: string) =>
    tails.begin({ share } as RequestOrganization, { userId } as Caller);
  /** Opens as many as it gets. */
  const openAll = (tails: OpenTails, share: string): readonly (() => void)[] => {
    const closes: (() => void)[] = [];
    for (let n = 0; n < 40; n += 1)
      try {
        closes.push(begin(tails, share, `${share}-${n}`).close);
      } catch {
        break;
      }
    return closes;
  };

  it('are so many of one organization', () => {
    const tails = new OpenTails();
    const [close] = openAll(tails, 'a');
    expect(() => begin(tails, 'a', 'other')).toThrow('your organization has 32 open tails');
    close?.();
    expect(() => begin(tails, 'a', 'other')).not.toThrow();
  });

  it('are left for a new organization, which gets the place of the one with the most', () => {
    const tails = new OpenTails();
    for (let n = 0; n < 8; n += 1) openAll(tails, `o${n}`);
    const first = begin(tails, 'new', 'somebody');
    for (let n = 0; n < 30; n += 1) openAll(tails, `p${n}`);
    expect(first.stopping.aborted).toBe(false);
    expect(() => begin(tails, 'o0', 'other')).toThrow('others need some, too');
    const next = begin(tails, 'next', 'somebody');
    expect([first, next].map(({ stopping }) => stopping.aborted)).toEqual([false, false]);
    tails.onModuleDestroy();
    expect([first, next].map(({ stopping }) => stopping.aborted)).toEqual([true, true]);
  });

  it('tell why they end for others', () => {
    const tails = new OpenTails();
    const own = Array.from({ length: 32 }, (_, n) => begin(tails, 'a', `a-${n}`));
    for (let n = 0; n < 7; n += 1) openAll(tails, `o${n}`);
    for (let n = 0; n < 20; n += 1) openAll(tails, `p${n}`);
    const ended = own.filter(({ stopping }) => stopping.aborted);
    expect(ended.length).toBeGreaterThan(10);
    expect(ended.every(({ stopping }) => stopping.reason === 'crowded')).toBe(true);
    expect(own[0]?.stopping.aborted).toBe(false);
  });
});
