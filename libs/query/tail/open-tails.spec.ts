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

  it('are left for a new organization, however many others take all they get', () => {
    const tails = new OpenTails();
    for (let n = 0; n < 30; n += 1) openAll(tails, `o${n}`);
    expect(() => begin(tails, 'o0', 'other')).toThrow(/many open tails|32 open tails/);
    expect(() => begin(tails, 'new', 'somebody')).not.toThrow();
  });
});
