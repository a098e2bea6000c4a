import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { toWarehouseError } from '../warehouse-errors.js';
import { whole } from './whole-answer.js';

const ERROR =
  'Code: 395. DB::Exception: too far. (FUNCTION_THROW_IF) (version 25.8.1.1 (official))\n';
const TAGGED = `\r\n__exception__\r\nabcdefgh\r\n${ERROR}${ERROR.length} abcdefgh\r\n__exception__\r\n`;
const tag = { 'x-clickhouse-exception-tag': 'abcdefgh' };

const read = (chunks: readonly string[], headers = {}, end?: Error): Promise<string> => {
  async function* bytes(): AsyncGenerator<Buffer> {
    for (const chunk of chunks) yield Buffer.from(chunk);
    if (end) throw end;
  }
  const answer = Readable.from(bytes(), { objectMode: false });
  return text(whole(answer, headers, toWarehouseError));
};
const pieces = (all: string, size: number): string[] => all.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []; // prettier-ignore
const ROWS = Array.from({ length: 20_000 }, (_, n) => `{"n":${n},"ж":"\\r\\n"}\n`).join('');

describe('whole', () => {
  it.each([101, 4096, 100_000])('gives back all bytes in pieces of %d', async (size) => {
    expect(await read(pieces(ROWS, size), tag)).toBe(ROWS);
    expect(await read(pieces(ROWS, size))).toBe(ROWS);
    expect(await read([], tag)).toBe('');
  });

  it.each([101, 4096, 100_000])('finds the failure at the end in pieces of %d', async (size) => {
    const failure = { code: 395, type: 'FUNCTION_THROW_IF', message: 'too far.' };
    await expect(read(pieces(ROWS + TAGGED, size), tag)).rejects.toMatchObject(failure);
    await expect(read(pieces(ROWS + ERROR, size))).rejects.toMatchObject(failure);
    await expect(read(pieces(`[\n${ERROR}`, size))).rejects.toMatchObject(failure);
  });

  it('tells the server’s reason when it closes the connection after it', async () => {
    const aborted = new Error('aborted');
    await expect(read([ROWS, TAGGED], tag, aborted)).rejects.toMatchObject({ code: 395 });
    await expect(read([ROWS], tag, aborted)).rejects.toThrow('aborted');
  });

  it('takes no row for a failure', async () => {
    const csv = `"x"\n"${ERROR.trim()}"\n`;
    expect(await read([csv])).toBe(csv);
    const json = `[\n{"x":"a"},\n{"x":${JSON.stringify(ERROR + TAGGED)}}\n]\n`;
    expect(await read([json], { 'x-clickhouse-exception-tag': 'another' })).toBe(json);
    expect(await read([json])).toBe(json);
  });
});
