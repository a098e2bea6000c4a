import { Metadata } from '@grpc/grpc-js';
import { MillraceError, type Logger } from '@app/platform';
import type { TableHold } from '@app/query';
import { BOUNDS } from '../flight-sql-bounds.js';
import { Calls, type AnyCall } from './calls.js';

const call: AnyCall = { cancelled: false, metadata: new Metadata(), once: () => undefined };

describe('calls', () => {
  it('that get no tables take no place of others', async () => {
    let isReady = false;
    const door = {
      admit: () => 'bearer',
      hold: () => {
        if (!isReady) throw new MillraceError('NOT_READY', 'not yet');
        return { organization: undefined, release: () => undefined } as unknown as TableHold;
      },
    };
    const calls = new Calls(door, {} as Logger);
    const ask = (): Promise<string> => calls.run(call, () => Promise.resolve('answer'));
    for (let some = 0; some <= BOUNDS.calls; some += 1)
      await expect(ask()).rejects.toThrow('not yet');
    isReady = true;
    expect(await ask()).toBe('answer');
  });
});
