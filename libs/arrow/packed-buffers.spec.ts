import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkArrow } from './arrow-file.js';

const PACKED = join(import.meta.dirname, '../../test/fixtures/arrow/typed-lz4.arrows');
/** Frames of LZ4 begin with the one, and older ones with the other, which say nothing of how long they are. */
const [FRAME, OLDER] = ['04224d18', '02214c18'];

describe('packed buffers of Arrow', () => {
  const folder = mkdtempSync(join(tmpdir(), 'packed-buffers-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('are unpacked only where they tell how long they are', async () => {
    const file = join(folder, 'typed.arrows');
    const bytes = readFileSync(PACKED);
    writeFileSync(file, bytes);
    await expect(checkArrow(file, 'typed.arrows')).resolves.toMatchObject({ typeless: undefined });
    for (let at = bytes.indexOf(FRAME, 0, 'hex'); at !== -1; at = bytes.indexOf(FRAME, at, 'hex'))
      bytes.write(OLDER, at, 'hex');
    writeFileSync(file, bytes);
    await expect(checkArrow(file, 'typed.arrows')).rejects.toThrow(/no frame of LZ4/);
  });
});
