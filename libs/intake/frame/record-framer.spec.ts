import fc from 'fast-check';
import { frameRecords } from './frame-records.js';
import { RecordFramer } from './record-framer.js';
import { rounds } from '../../../test/rounds.js';

/** Frames a body that arrives in pieces cut at the given places. */
async function frame(
  body: string,
  cuts: readonly number[] = [],
): Promise<{ lines: string[]; unit: string }> {
  const bytes = Buffer.from(body);
  const places = [
    0,
    ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b),
    bytes.length,
  ];
  async function* pieces(): AsyncIterable<Buffer> {
    for (let index = 1; index < places.length; index += 1) {
      // A copy is needed because framing overwrites its input.
      const piece = Buffer.from(bytes.subarray(places[index - 1], places[index]));
      if (piece.length > 0) yield piece;
    }
  }
  const { lines, unit } = await frameRecords(pieces());
  const framed: Buffer[] = [];
  for await (const line of lines) framed.push(Buffer.from(line));
  return {
    lines: Buffer.concat(framed)
      .toString()
      .split('\n')
      .filter((line) => line.trim() !== ''),
    unit,
  };
}

const records = fc.array(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), {
  minLength: 1,
  maxLength: 6,
});
const cuts = fc.array(fc.nat(10_000), { maxLength: 8 });
const indent = fc.constantFrom(0, 2, '\t');

describe('framing', () => {
  it('finds the records of an array, however it is laid out and however it arrives', async () => {
    await fc.assert(
      fc.asyncProperty(records, indent, cuts, async (all, space, places) => {
        const { lines, unit } = await frame(JSON.stringify(all, null, space), places);
        expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
          JSON.parse(JSON.stringify(all)),
        );
        expect(unit).toBe('record');
      }),
    );
  });

  it('finds the records of objects on lines, or over lines', async () => {
    await fc.assert(
      fc.asyncProperty(records, indent, cuts, async (all, space, places) => {
        const body = all.map((each) => JSON.stringify(each, null, space)).join('\n');
        const { lines } = await frame(body, places);
        expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
          JSON.parse(JSON.stringify(all)),
        );
      }),
    );
  });

  it('never turns a body that is no JSON array into one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('[', ']', '{', '}', ',', '"', '\\', 'a', '1', ' ', ':', '\n'), {
          maxLength: 12,
        }),
        cuts,
        async (characters, places) => {
          const body = `[${characters.join('')}`;
          const outcome = await frame(body, places).catch(() => undefined);
          if (!outcome) return;
          const valid = (text: string): boolean => {
            try {
              return JSON.parse(text) !== undefined;
            } catch {
              return false;
            }
          };
          // If every record is valid, the array was valid.
          if (outcome.lines.every(valid)) expect([body, valid(body)]).toEqual([body, true]);
        },
      ),
      { numRuns: rounds(500, 20_000) },
    );
  });

  it('says at which byte an array is broken', () => {
    const push = (body: string): string => {
      const framer = new RecordFramer('array');
      framer.push(Buffer.from(body));
      framer.end();
      return 'fine';
    };
    expect(push(' [ ] ')).toBe('fine');
    expect(() => push('[{"a":1},,{}]')).toThrow(/"," at byte 10, where a record should begin/);
    expect(() => push('[1 1]')).toThrow(/"1" at byte 4, where "," or "]" should follow/);
    expect(push('[1 , {} , true ]')).toBe('fine');
    expect(() => push('[{}]]')).toThrow(/"]" at byte 5, after the end/);
    expect(() => push('[{"a":"\n"}]')).toThrow(/line break inside a text at byte 8/);
  });
});
