import { decompress } from '@cloudpss/zstd/napi';
import { statementFrame } from './statement-frame.js';

describe('a statement as a zstd frame', () => {
  it.each([0, 1, 131_071, 131_072, 131_073, 400_000])('of %d bytes is what it was', (length) => {
    const statement = 'x'.repeat(length);
    const read = Buffer.from(decompress(statementFrame(statement))).toString();
    expect(read === statement).toBe(true);
  });

  it('may come before other frames', () => {
    const both = Buffer.concat([statementFrame('INSERT ж\n'), statementFrame('data')]);
    expect(Buffer.from(decompress(both)).toString()).toBe('INSERT ж\ndata');
  });
});
