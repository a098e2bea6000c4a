import { compress } from 'lz4-napi';
import { failureText } from './compressed-failure.js';

const CHECKSUM = Buffer.alloc(16);
const HEADER_BYTES = 9;

/** Makes a block as ClickHouse writes it; the checksum is for its clients. */
async function block(text: string): Promise<Buffer> {
  // The library writes the length of what is in it before the data.
  const packed = await compress(Buffer.from(text));
  const header = Buffer.alloc(HEADER_BYTES - 4);
  header[0] = 0x82;
  header.writeUInt32LE(HEADER_BYTES - 4 + packed.length, 1);
  return Buffer.concat([CHECKSUM, header, packed]);
}

describe("a failure's text in compressed blocks", () => {
  it('is the text of them all', async () => {
    const blocks = Buffer.concat([await block('Code: 47. DB::'), await block('Exception: no')]);
    expect(await failureText(blocks)).toBe('Code: 47. DB::Exception: no');
  });

  it.each(['', 'Code: 47. DB::Exception: no column', 'x'])('is %j itself', async (text) => {
    expect(await failureText(Buffer.from(text))).toBe(text);
  });

  it('is never as long as a block says that it is', async () => {
    const long = await block('a'.repeat(1024 * 1024));
    expect((await failureText(long)).length).toBeLessThan(64 * 1024);
  });
});
