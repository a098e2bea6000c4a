import fc from 'fast-check';
import { BlankLines, withoutBlankLines } from './blank-lines.js';

const COMMA = 0x2c;

function piecesOf(text: string, cuts: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text);
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b); // prettier-ignore
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

async function cleaned(text: string, cuts: readonly number[] = []): Promise<string> {
  async function* given() {
    yield* await Promise.resolve(piecesOf(text, cuts));
  }
  const out: Buffer[] = [];
  for await (const piece of withoutBlankLines(given(), COMMA)) out.push(Buffer.from(piece));
  return Buffer.concat(out).toString();
}

/** A look at a text without quotes. */
function hasBlank(text: string, cuts: readonly number[] = []): boolean {
  const lines = new BlankLines();
  for (const piece of piecesOf(text, cuts)) lines.take(piece);
  return lines.hasBlankLine;
}

const texts = fc.array(fc.constantFrom('\n', '\r\n', 'a', ',', 'some text', ' '), { maxLength: 20 }).map((all) => all.join('')); // prettier-ignore
const cuts = fc.array(fc.nat(40), { maxLength: 5 });

describe('blank lines of CSV', () => {
  it.each([
    ['\n\r\na\n\r\n\nb\n\n', 'a\nb\n'],
    ['"a\n\nb"\n\n c, "d\n\n""\n\n"\n\ne', '"a\n\nb"\n c, "d\n\n""\n\n"\ne'],
    ['\ufeff"a\n\n"\n\n1', '\ufeff"a\n\n"\n1'],
    ['x"y\n\nz"\n', 'x"y\nz"\n'],
    ['\r\ra\n', '\r\ra\n'],
  ])('%j without them is %j', async (text, expected) => {
    expect(await cleaned(text)).toBe(expected);
  });

  it('go wherever the text is cut into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(texts, cuts, async (text, at) => {
        const lines = text.split('\n').filter((line) => !/^\r*$/.test(line));
        expect((await cleaned(text, at)).replace(/\r*$/, '')).toBe(
          lines.join('\n') + (/\n\r*$/.test(text) && lines.length > 0 ? '\n' : ''),
        );
      }),
    );
  });

  it('are found where they stand between others, wherever the text is cut', () => {
    fc.assert(
      fc.property(texts, cuts, (text, at) => {
        const isBetween = /[^\r\n]\r*\n\r*\n[\r\n]*[^\r\n]/.test(text);
        expect(hasBlank(text, at)).toBe(isBetween);
      }),
    );
  });
});
