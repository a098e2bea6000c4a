import { Int32, List, Map_, Field, Struct, tableFromIPC, tableToIPC, Utf8, Bool, vectorFromArray, Table } from 'apache-arrow'; // prettier-ignore
import fc from 'fast-check';
import { BOUNDS } from '../flight-sql-bounds.js';
import { encapsulated, ipcMessages, RECORD_BATCH, type IpcMessage } from './ipc-messages.js';
import { only, smallerBatches } from './smaller-batches.js';

async function all(messages: AsyncIterable<IpcMessage>): Promise<IpcMessage[]> {
  const list: IpcMessage[] = [];
  for await (const message of messages) list.push(message);
  return list;
}

async function* cut(bytes: Buffer, places: readonly number[]): AsyncGenerator<Buffer> {
  const ends = [...places.map((place) => place % bytes.length), bytes.length].sort((a, b) => a - b);
  let at = 0;
  for (const end of ends) {
    yield await Promise.resolve(Buffer.from(bytes.subarray(at, end)));
    at = end;
  }
}

function nestedTable(rows: number, text: string): Table {
  const numbers = Array.from({ length: rows }, (_, at) => at);
  const struct = new Struct<{ a: Int32; b: Utf8 }>([new Field('a', new Int32(), true), new Field('b', new Utf8(), true)]); // prettier-ignore
  const entries = new Struct<{ key: Utf8; value: Int32 }>([new Field('key', new Utf8(), false), new Field('value', new Int32(), true)]); // prettier-ignore
  return new Table({
    n: vectorFromArray(numbers, new Int32()),
    t: vectorFromArray(numbers.map((n) => (n % 7 === 0 ? null : text + n)), new Utf8()), // prettier-ignore
    f: vectorFromArray(numbers.map((n) => (n % 5 === 0 ? null : n % 2 === 0)), new Bool()), // prettier-ignore
    l: vectorFromArray(numbers.map((n) => (n % 3 === 0 ? null : Array.from({ length: n % 4 }, (_, at) => `${n}-${at}`))), new List(new Field('item', new Utf8(), true))), // prettier-ignore
    s: vectorFromArray(numbers.map((n) => (n % 11 === 0 ? null : { a: n, b: `b${n}` })), struct), // prettier-ignore
    m: vectorFromArray(numbers.map((n) => new Map([[`k${n}`, n]])), new Map_(new Field('entries', entries, false))), // prettier-ignore
  });
}

const streamOf = (table: Table): Buffer => Buffer.from(tableToIPC(table, 'stream'));
const asText = (table: Table): string[] => table.toArray().map((row) => JSON.stringify(row));

describe('an answer in Arrow', () => {
  it('is cut into the same messages wherever its chunks end', async () => {
    const stream = streamOf(nestedTable(50, 'text'));
    const whole = await all(ipcMessages(only(stream)));
    expect(whole.map(({ kind }) => kind)).toEqual([1, 3]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 30 }), async (places) => {
        expect(await all(ipcMessages(cut(stream, places)))).toEqual(whole);
      }),
      { numRuns: 50 },
    );
  });

  it('that is cut off is an error', async () => {
    const stream = streamOf(nestedTable(5, 'text'));
    const [schema] = await all(ipcMessages(only(stream)));
    const short = encapsulated(schema ?? { header: stream, body: stream }).length + 100;
    await expect(all(ipcMessages(only(stream.subarray(0, short))))).rejects.toThrow('too early');
  });

  it('that ends right behind a length, or a header, is an error too', async () => {
    const stream = streamOf(nestedTable(5, 'text'));
    const [schema] = await all(ipcMessages(only(stream)));
    const begin = encapsulated(schema ?? { header: stream, body: stream }).length;
    const header = stream.readUInt32LE(begin + 4);
    for (const end of [begin + 8, begin + 8 + header])
      await expect(all(ipcMessages(only(stream.subarray(0, end))))).rejects.toThrow('too early');
    expect(await all(ipcMessages(only(stream.subarray(0, begin))))).toHaveLength(1);
  });

  it('is written anew in smaller blocks with the same values', async () => {
    const table = nestedTable(6000, 'x'.repeat(2000));
    const messages = await all(smallerBatches(ipcMessages(only(streamOf(table)))));
    const sizes = messages.map(({ header, body }) => header.length + body.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(BOUNDS.sentMessageBytes);
    expect(messages.length).toBeGreaterThan(3);
    const again = tableFromIPC(Buffer.concat(messages.map(encapsulated)));
    expect(asText(again)).toEqual(asText(table));
  }, 60_000);

  it('keeps a row that is larger than a message may be', async () => {
    const table = new Table({ t: vectorFromArray(['a', 'x'.repeat(5_000_000), 'b'], new Utf8()) });
    const messages = await all(smallerBatches(ipcMessages(only(streamOf(table)))));
    expect(messages.filter(({ kind }) => kind === RECORD_BATCH)).toHaveLength(3);
    const again = tableFromIPC(Buffer.concat(messages.map(encapsulated)));
    expect(again.getChild('t')?.get(2)).toBe('b');
  });
});
