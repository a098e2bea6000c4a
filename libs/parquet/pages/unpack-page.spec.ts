import { compress } from '@cloudpss/zstd/napi';
import { unzstd } from './unpack-page.js';

const texts = ['a', 'b'.repeat(300), 'c'.repeat(70_000), 'd'.repeat(20_000_000)];
const frameOf = (text: string): Buffer => Buffer.from(compress(Buffer.from(text)));

describe('a page of zstd', () => {
  it.each(texts.map((text) => [text.length, text] as const))('of %d bytes is unpacked', async (length, text) => {
    const unpacked = await unzstd(frameOf(text), length);
    expect(unpacked.equals(Buffer.from(text))).toBe(true);
  }); // prettier-ignore

  it('may have several frames, which have that length together', async () => {
    const page = Buffer.concat(texts.slice(1, 3).map(frameOf));
    expect(await unzstd(page, 70_300)).toHaveLength(70_300);
  });

  it('is refused where its frame holds more than it says', async () => {
    const page = frameOf(texts[2] ?? '');
    const at = page.indexOf(Buffer.from([0x70, 0x11, 0x01, 0x00]));
    expect(at).toBe(5);
    page.writeUInt32LE(69_999, at);
    await expect(unzstd(page, 69_999)).rejects.toThrow();
  });
});
