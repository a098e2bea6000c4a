import fc from 'fast-check';
import { rounds } from '../../../../test/rounds.js';
import { ChunkMemory } from '../chunk/chunk-memory.js';
import { HALF, LineWriter } from './line-writer.js';

const line = fc.record({
  length: fc.oneof(fc.integer({ min: 1, max: 400 }), fc.constantFrom(65_535, 70_000, 300_000)),
  fate: fc.constantFrom('kept', 'kept', 'kept', 'left out', 'patched'),
  patch: fc.record({
    at: fc.nat(),
    length: fc.nat(20),
    text: fc.stringMatching(/^[a-z]{0,9}$/),
    micros: fc.option(fc.integer({ min: HALF, max: Number.MAX_SAFE_INTEGER }), { nil: undefined }),
  }),
});

describe('LineWriter', () => {
  it('writes lines as they are, or with their patches, however long they are', () => {
    const memory = new ChunkMemory();
    const chunk = fc.array(line, { maxLength: 60 });
    fc.assert(
      fc.property(chunk, fc.option(fc.nat(5000)), (lines, blockBytes) => {
        const own = blockBytes === null ? memory : new ChunkMemory(blockBytes);
        const source = Buffer.from(
          lines.map(({ length }, n) => `${'abcdefghij'.charAt(n % 10).repeat(length)}\n`).join(''),
        );
        const writer = new LineWriter(source, own);
        let wanted = '';
        let from = 0;
        for (const { length, fate, patch } of lines) {
          const to = from + length + 1;
          const text = source.toString('latin1', from, to);
          if (fate === 'kept') {
            writer.line(from, to);
            wanted += text;
          } else if (fate === 'patched') {
            const { text: before, micros } = patch;
            const rest = { text: before, ...(micros !== undefined && { micros }) };
            const at = patch.at % length;
            const end = Math.min(length, at + patch.length);
            writer.patched(from, to, [{ from: from + at, to: from + end, ...rest }]);
            const number = micros === undefined ? '' : `${micros},`;
            wanted += `${text.slice(0, at)}${before}${number}${text.slice(end)}`;
          }
          from = to;
        }
        expect(Buffer.concat(writer.end()).toString('latin1') === wanted).toBe(true);
        own.freeAll();
      }),
      { numRuns: rounds(60, 6000) },
    );
  });

  it('copies nothing of a chunk that is kept whole', () => {
    const source = Buffer.from(`${'x'.repeat(999)}\n`.repeat(1000));
    const writer = new LineWriter(source, new ChunkMemory());
    for (let from = 0; from < source.length; from += 1000) writer.line(from, from + 1000);
    const [piece, ...more] = writer.end();
    expect([piece?.buffer === source.buffer, piece?.length, more.length]).toEqual([
      true,
      source.length,
      0,
    ]);
  });
});
