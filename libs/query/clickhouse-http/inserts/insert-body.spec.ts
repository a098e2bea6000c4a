import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { buffer, text } from 'node:stream/consumers';
import { beginningOf, rowsIn } from './insert-body.js';

describe("a body's beginning", () => {
  let server: Server;
  let answer: (asked: IncomingMessage) => Promise<string>;

  beforeAll(async () => {
    server = createServer((asked, response) => {
      void answer(asked).then((told) => response.end(told));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  async function post(body: Buffer, headers = {}): Promise<string> {
    const { port } = server.address() as AddressInfo;
    const asked = request({ port, host: '127.0.0.1', method: 'POST', headers, agent: false });
    asked.end(body);
    const [told] = (await once(asked, 'response')) as [IncomingMessage];
    return text(told);
  }

  it.each([0, 1, 100, 1_000_000])('is put back, of %i bytes', async (size) => {
    const body = Buffer.alloc(size, 'INSERT ');
    answer = async (asked) => {
      // Some of the body has arrived completely, and some is still to come.
      while (size < 1000 && !asked.complete) await setImmediate();
      await setImmediate();
      const begun = await beginningOf(asked);
      await setImmediate();
      const all = asked.readableEnded ? Buffer.alloc(0) : await buffer(asked);
      return `${begun.length > 0} ${begun.length <= size} ${all.equals(body)}`;
    };
    expect(await post(body)).toBe(`${size > 0} true true`);
  });

  it.each([
    ['INS', 'ERT INTO logs FORMAT CSVWithNames\nx\n1\n'],
    ['\n', 'INSERT INTO logs FORMAT JSONEachRow\n', '{}'],
    ['INSERT INTO lo', 'gs (a, ', 'b) FORMAT C', 'SV', ' \r', '\n1,2\n'],
    ['INSERT INTO logs FORMAT CSV', 'WithNames\nx\n1\n'],
    ['INSERT INTO logs FORMAT CSV'],
    ['INSERT ', 'INTO logs', ' VALUES (1)'],
    ['INSERT'],
  ])('is whole, whatever pieces it comes in: %j, %j', async (...pieces) => {
    let given = 0;
    let more: () => Promise<void> = () => Promise.resolve();
    answer = async (asked) => {
      const beginning = beginningOf(asked);
      // The next piece arrives after the one before was looked at.
      asked.on('readable', () => void setImmediate().then(() => more()));
      const begun = await beginning;
      more = () => Promise.resolve();
      return JSON.stringify([begun, given]);
    };
    const { port } = server.address() as AddressInfo;
    const asked = request({ port, host: '127.0.0.1', method: 'POST', agent: false });
    more = () => {
      const piece = pieces[given];
      given += 1;
      if (piece === undefined) asked.end();
      else asked.write(piece);
      return Promise.resolve();
    };
    await more();
    const [told] = (await once(asked, 'response')) as [IncomingMessage];
    const [begun] = JSON.parse(await text(told)) as [string, number];
    const head = /^\s*INSERT INTO logs(?: \(a, b\))? FORMAT \w+\s*/.exec(pieces.join(''))?.[0];
    expect(begun.slice(0, (head ?? pieces.join('')).length)).toBe(head ?? pieces.join(''));
    asked.end();
  });

  it('is not looked for in an encoded body', async () => {
    answer = beginningOf;
    expect(await post(Buffer.from('INSERT'), { 'content-encoding': 'gzip' })).toBe('');
    expect(await post(Buffer.from('INSERT'), { 'content-encoding': 'Identity' })).toBe('INSERT');
  });
});

describe('the rows of a body', () => {
  async function* pieces(...texts: string[]): AsyncGenerator<Buffer> {
    for (const each of texts) yield await Promise.resolve(Buffer.from(each));
  }
  const CSV = { kind: 'csv', form: undefined, heads: 0 } as const;
  const read = (columns: string[] | undefined, before: string, skipped: number) =>
    rowsIn({ ...CSV, columns }, before, skipped);
  async function allOf(rows: AsyncIterable<Buffer>): Promise<string> {
    let all = '';
    for await (const piece of rows) all += piece.toString();
    return all;
  }

  it('are all of it, where nothing else is in it', () => {
    expect(read(undefined, '', 0)).toBeUndefined();
  });

  it.each([
    [undefined, '', 3, ['INS1', '2'], '12'],
    [undefined, '', 3, ['I', 'NS', '12'], '12'],
    [undefined, '{}\n', 0, ['12'], '{}\n12'],
    [['a', 'b"c'], '', 3, ['INS1,2'], '"a","b""c"\n1,2'],
    [['a'], '', 0, [], '"a"\n'],
  ])('%j %j %i %j', async (columns, before, skipped, body, expected) => {
    const rows = read(columns, before, skipped)?.(pieces(...body)) ?? pieces();
    expect(await allOf(rows)).toBe(expected);
  });

  const TABS = { kind: 'csv', form: 'tabs' } as const;
  const LISTS = { kind: 'json', form: 'lists' } as const;
  it.each([
    [{ ...TABS, columns: ['a', 'b'], heads: 0 }, '1\tx"y\n\\N\t', '"a","b"\n"1","x""y"\n,""\n'],
    [
      { ...TABS, columns: ['a'], heads: 0 },
      "\\\\N\n\\t\\n\\'\\q\r\n\r1\n\\N\r\n\\x41\\x0a\\e\\%",
      '"a"\n"\\N"\n"\t\n\'\\q"\n"\r1"\n\n"A\n\x1b\\%"\n',
    ],
    // The byte order mark is no letter of a name, nor of a value.
    [{ ...TABS, columns: ['a'], heads: 0 }, '\ufeff1', '"a"\n"1"\n'],
    [{ ...TABS, columns: undefined, heads: 1 }, '\ufeffa\n1\n', '"a"\n"1"\n'],
    [{ ...CSV, columns: ['a'] }, '\ufeff1\n', '"a"\n1\n'],
    [{ ...LISTS, columns: undefined, heads: 1 }, '\ufeff["a"]\n[1]', '{"a":1}'],
    [{ ...TABS, columns: ['a'], heads: 0 }, '', '"a"\n'],
    [{ ...TABS, columns: undefined, heads: 1 }, 'a\tb\n1\t2\n', '"a","b"\n"1","2"\n'],
    [{ ...TABS, columns: undefined, heads: 2 }, 'a\nInt64\n1\n', '"a"\n"1"\n'],
    [
      { ...LISTS, columns: ['a', 'b'], heads: 0 },
      '[1,"],\\"["]\n[{"x":[1,2]},[3,4]]',
      '{"a":1,"b":"],\\"["}\n{"a":{"x":[1,2]},"b":[3,4]}',
    ],
    [{ ...LISTS, columns: ['a'], heads: 0 }, '[1],[2]\n', '{"a":1}\n{"a":2}\n'],
    [{ ...LISTS, columns: undefined, heads: 1 }, '["a","é"]\n[1,2]\n', '{"a":1,"é":2}\n'],
    [{ ...LISTS, columns: undefined, heads: 2 }, '["a"]\n["Int64"]\n[1]\n', '{"a":1}\n'],
  ] as const)(
    'are written as acceptance reads them, wherever they are cut: %j %j',
    async (insert, text, expected) => {
      const bytes = Buffer.from(text);
      for (const size of [1, 2, 3, bytes.length]) {
        async function* cut(): AsyncGenerator<Buffer> {
          for (let at = 0; at < bytes.length; at += size)
            yield await Promise.resolve(bytes.subarray(at, at + size));
        }
        const rows = rowsIn(insert, '', 0)?.(cut()) ?? pieces();
        expect([size, await allOf(rows)]).toEqual([size, expected]);
      }
    },
  );

  it.each([
    [{ ...LISTS, columns: ['a', 'b'], heads: 0 }, '[1,2]\n[3]', 'row 2 has 1 values'],
    [
      { ...LISTS, columns: ['a'], heads: 0 },
      '[1,2]',
      'row 1 has more values, and 1 columns are named',
    ],
    [{ ...LISTS, columns: undefined, heads: 1 }, '{"a":1}\n', 'the first line is no list of names'],
    [{ ...LISTS, columns: ['a'], heads: 0 }, '[1]\n{"b":1}', 'row 2 is no list of values'],
    [{ ...LISTS, columns: ['a', 'b'], heads: 0 }, '[1}', 'row 1 is no list of values'],
    [{ ...LISTS, columns: ['a'], heads: 0 }, '[1]]', 'row 1 is no list of values'],
    [{ ...LISTS, columns: undefined, heads: 1 }, '["a","a"]\n[1,2]', '"a" is named twice'],
    [
      { ...LISTS, columns: undefined, heads: 1 },
      `["${'a'.repeat(300)}"]\n[1]`,
      'a name of more than 256 bytes',
    ],
    [
      { ...LISTS, columns: undefined, heads: 1 },
      `["${'a'.repeat(1e6)}`.repeat(2),
      'first line is longer',
    ],
    // These are changed in silence otherwise.
    [{ ...TABS, columns: ['a'], heads: 0 }, '1\n\\N1\n', 'line 2: \\N is null'],
    [{ ...TABS, columns: ['a'], heads: 0 }, 'a\\N\n', 'line 1: \\N is null'],
    [{ ...TABS, columns: ['a'], heads: 0 }, '\\xZZ\n', 'line 1: behind \\x'],
    [{ ...TABS, columns: ['a', 'b'], heads: 0 }, '1\t2\n3\t\\x', 'line 2: the rows end'],
    [{ ...TABS, columns: ['a', 'b'], heads: 0 }, '1\t2\n3\t\\', 'line 2: the rows end'],
  ] as const)('are refused: %j %j', async (insert, text, why) => {
    const rows = rowsIn(insert, '', 0)?.(pieces(text)) ?? pieces();
    await expect(allOf(rows)).rejects.toThrow(why);
  });
});
