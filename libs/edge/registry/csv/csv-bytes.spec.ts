import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkCsv, type SeenCsv } from './csv-bytes.js';

describe('files of CSV are looked at before the engine reads them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'csv-bytes-'));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const check = (text: string | Buffer, delimiter = ','): Promise<SeenCsv> => {
    const file = join(folder, 't.csv');
    writeFileSync(file, text);
    return checkCsv(file, delimiter);
  };
  /** The text is longer than one read of the file. */
  const long = 'x'.repeat(1024 ** 2 - 3);

  it.each([
    ['a,b\n1,"x\n2,y\n', 2],
    ['a,b\n1,x\n2,"y', 3],
    ['a,b\n1,x\n2,"y""', 3],
    ['a\n"x\n" y\n', undefined],
    ['a,b\n1, "x\n', 2],
    [`a\n${long}\n"x\n`, 3],
    [`a\n${long}"x\n`, undefined],
    [`"a""${long}\n`, 1],
  ])('a quote that is never closed is told by its line: %#', async (text, line) => {
    if (line === undefined) return expect((await check(text)).hasQuotedWord).toBe(false);
    await expect(check(text)).rejects.toThrow(`in line ${line} is never closed`);
  });

  it.each([
    'a,b\n1,"x"\n"y, ""z""",2\n',
    'a,b\n1,x"y\n',
    'a,b\r\n1,"x\r\ny"\r\n',
    'a,b\n1,"x"',
    `a\n"${long}"\n`,
    `a\n"${'x'.repeat(1024 ** 2 - 4)}""y"\n`,
    'a\n"x\ry"\n',
    '',
  ])('others are taken: %#', async (text) => {
    await check(text);
  });

  it.each([
    ['a\n"7"\n', false],
    ['a\n "-0.5e3"\n', false],
    ['a\n"FALSE"\n', true],
    ['a\n"truth"\n', false],
    ['a\n" true "\n', true],
    ['a\n""\n', true],
    ['a\n1\n"12, Station Road"\n"2020-01-01"\n', false],
    ['a\n"x ""7"" y"\n', false],
    ['a\nx"7"\n', false],
    ['a,b\n1,2\n', false],
    // It is in the next piece.
    [`a\n${long.slice(0, -1)}\n"true"\n`, true],
    [`a\n${long.slice(0, -3)}\n"true"\n`, true],
  ])('a truth or an empty text in quotes is told: %#', async (text, isThere) => {
    expect((await check(text)).hasQuotedWord).toBe(isThere);
  });

  it('a quote begins a value behind the delimiter that was asked for', async () => {
    await check('a;b\n1,"x;2\n', ';');
    await expect(check('a\tb\n1\t"x\n', '\t')).rejects.toThrow('never closed');
  });

  it.each([
    [Buffer.from('\ufeffa,b\n1,2\n', 'utf16le'), 'UTF-16'],
    [Buffer.from('\ufeffa,b\n1,2\n', 'utf16le').swap16(), 'UTF-16'],
    [Buffer.from('a\nB\u00e4r\n', 'latin1'), 'not written as UTF-8'],
    [Buffer.from('a\n\u00e4', 'utf8').subarray(0, -1), 'not written as UTF-8'],
    [Buffer.from([0x1f, 0x8b, 8, 0]), 'gzip'],
    [Buffer.from('PK\u0003\u0004'), 'ZIP'],
  ])('bytes that are no text of UTF-8 are refused: %#', async (bytes, reason) => {
    await expect(check(bytes)).rejects.toThrow(reason);
  });

  it('a character may stand in two pieces', async () => {
    for (let before = 0; before < 4; before += 1)
      await check(`a\n${'x'.repeat(1024 * 1024 - before - 2)}\u{1f600}\u00e4\n`);
  });

  it('lines that end with CR alone are none', async () => {
    await expect(check('a,b\r1,2\r')).rejects.toThrow('CR alone');
    await expect(check('a\r1\r"x\ny"\r')).rejects.toThrow('CR alone');
  });
});
