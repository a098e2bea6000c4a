import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkCsv } from './csv-bytes.js';

describe('files of CSV are looked at before the engine reads them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'csv-bytes-'));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const check = (text: string, delimiter = ','): Promise<void> => {
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
    if (line === undefined) return expect(await check(text)).toBeUndefined();
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

  it('a quote begins a value behind the delimiter that was asked for', async () => {
    await check('a;b\n1,"x;2\n', ';');
    await expect(check('a\tb\n1\t"x\n', '\t')).rejects.toThrow('never closed');
  });

  it('lines that end with CR alone are none', async () => {
    await expect(check('a,b\r1,2\r')).rejects.toThrow('CR alone');
    await expect(check('a\r1\r"x\ny"\r')).rejects.toThrow('CR alone');
  });
});
