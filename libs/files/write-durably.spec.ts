import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeDurably, writeDurablySync } from './write-durably.js';

describe('a file that is written durably', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'durably-'));
    file = join(folder, 'file');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['at once', (text: string) => Promise.resolve(writeDurablySync(file, Buffer.from(text)))],
    ['in turn', (text: string) => writeDurably(file, text)],
  ])('takes the place of what was there, for its owner only: %s', async (_how, write) => {
    for (const text of ['a longer one', 'one']) {
      await write(text);
      expect(readFileSync(file, 'utf8')).toBe(text);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readdirSync(folder)).toEqual(['file']);
    }
  });

  it('stays as it was when another cannot be written', async () => {
    await writeDurably(file, 'before');
    mkdirSync(`${file}.new`);
    await expect(writeDurably(file, 'after')).rejects.toThrow('EISDIR');
    expect(readFileSync(file, 'utf8')).toBe('before');
    rmSync(`${file}.new`, { recursive: true });
    writeFileSync(`${file}.new`, 'half of it', { mode: 0o644 });
    await writeDurably(file, 'after');
    expect(readFileSync(file, 'utf8')).toBe('after');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});
