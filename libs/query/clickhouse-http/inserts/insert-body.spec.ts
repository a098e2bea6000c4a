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
  const read = (columns: string[] | undefined, before: string, skipped: number) =>
    rowsIn({ columns }, before, skipped);

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
    let all = '';
    for await (const piece of rows) all += piece.toString();
    expect(all).toBe(expected);
  });
});
