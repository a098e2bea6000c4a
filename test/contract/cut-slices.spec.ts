import fc from 'fast-check';
import { readHeader } from '../../apps/cli/cut/csv-header.js';
import { CsvCutter, likelyDelimiter } from '../../apps/cli/cut/cut-csv.js';
import { cutSlices, LineCutter, type Cutter } from '../../apps/cli/cut/cut-lines.js';
import { likelyDelimiter as serversDelimiter } from '../../libs/warehouse/index.js';
import { frameCsv } from '../../libs/intake/frame/frame-csv.js';
import { rounds } from '../rounds.js';

/** Gives the same bytes in the pieces in which they may arrive. */
async function* arriving(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (const cut of cuts) yield bytes.subarray(at, (at += cut));
  yield bytes.subarray(at);
}

async function cut(
  bytes: Buffer,
  cuts: readonly number[],
  cutter: () => Cutter,
): Promise<{ offset: number; text: string }[]> {
  const slices: { offset: number; text: string }[] = [];
  for await (const slice of cutSlices(arriving(bytes, cuts), cutter))
    slices.push({ offset: slice.offset, text: slice.bytes.toString() });
  return slices;
}

const cuts = fc.array(fc.nat(30), { maxLength: 6 });
/** Texts in which everything is near a cut. */
const text = (...pieces: string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((all) => all.join(''));

describe('slices of a file', () => {
  it('of NDJSON: whole lines, none lost, the same however it arrives', async () => {
    await fc.assert(
      fc.asyncProperty(text('\n', '{}', 'abcdefg', '\r\n'), cuts, async (whole, arrival) => {
        const bytes = Buffer.from(whole);
        const slices = await cut(bytes, arrival, () => new LineCutter(10));
        expect(slices.map((slice) => slice.text).join('')).toBe(whole);
        expect(slices).toEqual(await cut(bytes, [], () => new LineCutter(10)));
        for (const [index, slice] of slices.entries()) {
          expect(slice.offset).toBe(
            slices.slice(0, index).reduce((sum, each) => sum + each.text.length, 0),
          );
          if (index === slices.length - 1) continue;
          expect(slice.text.endsWith('\n')).toBe(true);
          expect(slice.text.slice(9, -1)).not.toContain('\n');
        }
      }),
    );
  });

  it('of CSV: the server reads from them, each with the header, what it reads from the whole', async () => {
    const body = text('\n', '\r\n', ' ', '"', '""', ',', ';', '\t', 'ab', '"x\ny"', '\r');
    const header = fc.constantFrom(
      'a,b\n',
      'a;b;c\n',
      '"a\nb",c\r\n',
      '\ufeffa\tb\n',
      '\n\n"a",b\n',
      'sep=|\na|b\n',
    );
    await fc.assert(
      fc.asyncProperty(header, body, cuts, async (first, rest, arrival) => {
        const bytes = Buffer.from(first + rest);
        const source = await readHeader(arriving(bytes, arrival));
        expect(source.header.toString()).toBe(first);
        const cutter = (): CsvCutter => new CsvCutter(12, source.delimiter.charCodeAt(0));
        const content: Buffer[] = [];
        for await (const piece of source.content) content.push(piece);
        const slices = await cut(Buffer.concat(content), arrival, cutter);
        expect(slices.map((slice) => slice.text).join('')).toBe(first + rest);
        const ofParts = async (): Promise<string[]> => {
          const records: string[] = [];
          for (const { offset, text: slice } of slices)
            records.push(
              ...(await recordsOf(offset === 0 ? slice : first + slice, source.delimiter)),
            );
          return records;
        };
        expect(await orRefused(ofParts())).toEqual(await orRefused(recordsOf(first + rest)));
      }),
      { numRuns: rounds(25, 300) },
    );
  });

  it.each(['\ufeffsep=;\r\n"a;b"; c\n', '\n\nSEP=;\n\n"a;b"; c\n'])(
    'of CSV: %j is a header with the delimiter that it says',
    async (header) => {
      const record = '1; "x\ny"\n';
      const source = await readHeader(arriving(Buffer.from(header + record), [5]));
      expect([source.header.toString(), source.delimiter]).toEqual([header, ';']);
      const cutter = (): CsvCutter =>
        new CsvCutter(Buffer.byteLength(header) + 1, ';'.charCodeAt(0));
      const bytes = Buffer.from(header + record + record);
      const slices = await cut(bytes, [], cutter);
      expect(slices.map((slice) => slice.text)).toEqual([header + record, record]);
      expect(await recordsOf(header + record)).toEqual(await recordsOf(`a;b\n${record}`));
    },
  );

  it('of CSV: finds the delimiter that the server finds', () => {
    fc.assert(
      fc.property(text(',', ';', '\t', '|', '"', 'ab', '""'), (header) => {
        expect(likelyDelimiter(Buffer.from(header))).toBe(serversDelimiter(header));
      }),
    );
  });
});

/** Gives `refused` for text that is no CSV; it must be refused in slices as well. */
const orRefused = (records: Promise<string[]>): Promise<string[] | string> =>
  records.catch((error: unknown) => {
    expect((error as Error).message).toContain('behind the quotes of a field');
    return 'refused';
  });

/** Frames records as the server does. A record that never ends ends with the text. */
async function recordsOf(csv: string, delimiter?: string): Promise<string[]> {
  const { lines, delimiter: found } = await frameCsv(arriving(Buffer.from(csv), []), delimiter);
  expect(found).toBe(delimiter ?? found);
  const framed: Buffer[] = [];
  try {
    for await (const piece of lines) framed.push(Buffer.from(piece));
  } catch (error) {
    if (!(error as Error).message.includes('never ends')) throw error;
  }
  return Buffer.concat(framed)
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '');
}
