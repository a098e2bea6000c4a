import { Handover } from './handover.js';

describe('Handover', () => {
  it('gives one item after the other, and tells who offered when the next is asked for', async () => {
    const handover = new Handover<string>();
    const told: string[] = [];
    void handover.offer('a').then(() => told.push('a'));
    void handover.offer('b').then(() => told.push('b'));
    const items = handover.items(new AbortController().signal);
    expect((await items.next()).value).toBe('a');
    expect(told).toEqual([]);
    expect((await items.next()).value).toBe('b');
    expect(told).toEqual(['a']);
    await items.return(undefined);
    expect(told).toEqual(['a', 'b']);
  });

  it('lets nobody wait who offers when the loop has ended, whenever that was', async () => {
    const stopping = new AbortController();
    const handover = new Handover<string>();
    const before = handover.offer('before');
    const items = handover.items(stopping.signal);
    await items.next();
    stopping.abort();
    expect((await items.next()).done).toBe(true);
    await before;
    await handover.offer('after');
  });

  it('lets nobody wait when no loop ever began', async () => {
    const handover = new Handover<string>();
    const early = handover.offer('early');
    handover.end();
    await early;
    await handover.offer('late');
  });
});
