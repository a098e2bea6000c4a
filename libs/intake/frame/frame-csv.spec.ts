import { frameCsv } from './frame-csv.js';

const PIECE_BYTES = 16_384;
const MIB = 1024 * 1024;

async function frame(body: string): Promise<{ columns: readonly string[]; lines: string }> {
  const bytes = Buffer.from(body);
  const pieces = (async function* (): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES)
      yield await Promise.resolve(Buffer.from(bytes.subarray(at, at + PIECE_BYTES)));
  })();
  const { columns, lines } = await frameCsv(pieces, undefined);
  const read: Buffer[] = [];
  for await (const each of lines) read.push(Buffer.from(each));
  return { columns, lines: Buffer.concat(read).toString() };
}

describe('the beginning of a CSV', () => {
  it('is found behind blank lines and a byte order mark, also if it comes alone', async () => {
    const header = 'a'.repeat(PIECE_BYTES - 1);
    expect(await frame(`\ufeff\r\n\n${header},b\n1,2\n`)).toEqual({
      columns: [header, 'b'],
      lines: '1,2\n',
    });
    expect(await frame('a,b')).toEqual({ columns: ['a', 'b'], lines: '' });
  });

  // Each of these once kept the process busy for minutes.
  it.each([
    ['(', 10 * MIB, /header is longer than 1048576 bytes/],
    ['"', 10 * MIB, /header is longer|never ends/],
    ['\ufeff', 300_000, /empty/],
  ])('is not looked for among endless %s', async (text, times, message) => {
    await expect(frame(text.repeat(times))).rejects.toThrow(message);
  });

  it('may be as long as it may be', async () => {
    const { columns } = await frame(`${'x'.repeat(MIB - 2)}\n`);
    expect(columns).toEqual(['x'.repeat(MIB - 2)]);
  });

  it.each(['[{"a":1}]', ' {"a":1}', '[\n{"a":1}\n]', '[]', '["a","b"]'])(
    'is not %j, which is JSON',
    async (body) => {
      await expect(frame(body)).rejects.toThrow('looks like JSON; send it to _json');
    },
  );

  it('does not end at a carriage return alone', async () => {
    await expect(frame('a,b\r1,2\r')).rejects.toThrow('carriage return at character 4');
    expect(await frame('"a\r\nb",c\r\n1,2\r\n')).toMatchObject({ columns: ['a\r b', 'c'] });
  });
});
