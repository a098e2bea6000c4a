import fc from 'fast-check';
import { hideAborted } from './committed-reads.js';

type Messages = Parameters<
  typeof hideAborted
>[0]['responses'][number]['partitions'][number]['messages'];
type Kind = 'commit' | 'abort';

const data = (offset: number, producerId: string, inTransaction = true): Messages[number] => ({
  offset: String(offset),
  key: null,
  isControlRecord: false,
  batchContext: { producerId, inTransaction },
});
const marker = (offset: number, producerId: string, kind: Kind): Messages[number] => ({
  offset: String(offset),
  key: Buffer.from([0, 0, 0, kind === 'abort' ? 0 : 1]),
  isControlRecord: true,
  batchContext: { producerId, inTransaction: true },
});

function visible(
  messages: Messages,
  abortedTransactions: { producerId: string; firstOffset: string }[],
): string[] {
  hideAborted({ responses: [{ partitions: [{ messages, abortedTransactions }] }] });
  return messages.filter((each) => !each.isControlRecord).map(({ offset }) => offset);
}

describe('reading what is committed', () => {
  it('shows a committed transaction of a producer that has aborted before, in whatever order the broker lists', () => {
    const messages = [
      data(0, 'a'),
      data(1, 'b'),
      marker(2, 'a', 'abort'),
      data(3, 'a'),
      marker(4, 'a', 'commit'),
      marker(5, 'b', 'abort'),
    ];
    const list = [
      { producerId: 'b', firstOffset: '1' },
      { producerId: 'a', firstOffset: '0' },
    ];
    expect(visible(messages, list)).toEqual(['3']);
  });

  it('hides each of several transactions that had begun before what was fetched', () => {
    const messages = [data(100, 'c'), marker(101, 'c', 'abort'), data(102, 'c')];
    const list = ['a', 'b', 'c'].map((producerId, index) => ({
      producerId,
      firstOffset: String(50 + index),
    }));
    expect(visible(messages, list)).toEqual(['102']);
  });

  it('shows what was sent outside transactions, and takes no key of a record for an end', () => {
    const fake = { ...data(2, 'a'), key: Buffer.from([0, 0, 0, 0]) };
    const messages = [data(0, 'a'), data(1, 'a', false), fake, marker(3, 'a', 'abort')];
    expect(visible(messages, [{ producerId: 'a', firstOffset: '0' }])).toEqual(['1']);
  });

  it('shows the committed and nothing else, for any history and any place to begin', () => {
    const step = fc.record({
      producer: fc.constantFrom('a', 'b', 'c'),
      end: fc.option(fc.constantFrom<Kind>('commit', 'abort'), { nil: undefined }),
    });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 40 }),
        fc.nat(40),
        fc.infiniteStream(fc.nat()),
        (steps, from, shuffle) => {
          const log: Messages[number][] = [];
          const open = new Map<string, number[]>();
          const committed: number[] = [];
          const aborted: { producerId: string; firstOffset: string; last: number }[] = [];
          const finish = (producer: string, kind: Kind): void => {
            const offsets = open.get(producer);
            if (!offsets) return;
            open.delete(producer);
            const last = log.push(marker(log.length, producer, kind)) - 1;
            if (kind === 'commit') committed.push(...offsets);
            else aborted.push({ producerId: producer, firstOffset: String(offsets[0]), last });
          };
          for (const { producer, end } of steps) {
            if (end) finish(producer, end);
            else {
              open.set(producer, [...(open.get(producer) ?? []), log.length]);
              log.push(data(log.length, producer));
            }
          }
          for (const producer of [...open.keys()]) finish(producer, 'commit');
          const list = aborted
            .filter(({ last }) => last >= from)
            .map(({ producerId, firstOffset }) => ({
              producerId,
              firstOffset,
              at: Number(shuffle.next().value),
            }))
            .sort((one, other) => one.at - other.at);
          const wanted = committed.filter((offset) => offset >= from).sort((x, y) => x - y);
          expect(visible(log.slice(from), list)).toEqual(wanted.map(String));
        },
      ),
    );
  });
});
