import * as arrow from 'apache-arrow';
import fc from 'fast-check';
import { FlatTable } from '@app/arrow';
import { ipcMessages, type IpcMessage } from '../ipc/ipc-messages.js';
import { only } from '../ipc/smaller-batches.js';
import { parameterBatch } from './parameter-batch.js';

/** Gives values as a client of Arrow's library sends them. */
async function sent(values: arrow.Table): Promise<IpcMessage[]> {
  const messages: IpcMessage[] = [];
  const stream = Buffer.from(arrow.tableToIPC(values, 'stream'));
  for await (const message of ipcMessages(only(stream))) messages.push(message);
  return messages;
}

const row = <Type extends arrow.DataType>(type: Type, value: unknown): arrow.Table =>
  new arrow.Table({ a: arrow.vectorFromArray([value as Type['TValue']], type) });

const words = (value: number): Uint32Array => new Uint32Array([value, 0, 0, 0]);
const minusOne = new Uint32Array(4).fill(0xffffffff);
const DAY = 86_400_000;

describe('the values of a statement, as clients send them in Arrow', () => {
  it.each<[arrow.DataType, unknown, string, string]>([
    [new arrow.Int8(), -128, 'Int8', '-128'],
    [new arrow.Uint8(), 255, 'UInt8', '255'],
    [new arrow.Int32(), -5, 'Int32', '-5'],
    [new arrow.Int64(), -(2n ** 63n), 'Int64', '-9223372036854775808'],
    [new arrow.Uint64(), 2n ** 64n - 1n, 'UInt64', '18446744073709551615'],
    [new arrow.Float16(), -1.5, 'Float32', '-1.5'],
    [new arrow.Float16(), 2 ** -24, 'Float32', String(2 ** -24)],
    [new arrow.Float16(), -Infinity, 'Float32', '-inf'],
    [new arrow.Float32(), 0.5, 'Float32', '0.5'],
    [new arrow.Float64(), 1e300, 'Float64', '1e+300'],
    [new arrow.Float64(), NaN, 'Float64', 'nan'],
    [new arrow.Bool(), true, 'Bool', 'true'],
    [new arrow.Bool(), false, 'Bool', 'false'],
    [new arrow.Utf8(), "é'", 'String', "é'"],
    [new arrow.Utf8(), '', 'String', ''],
    [new arrow.LargeUtf8(), 'ab', 'String', 'ab'],
    [new arrow.Binary(), Buffer.from('ab'), 'String', 'ab'],
    [new arrow.LargeBinary(), Buffer.from('ab'), 'String', 'ab'],
    [new arrow.Decimal(2, 10), words(1205), 'Decimal(10, 2)', '12.05'],
    [new arrow.Decimal(2, 10), minusOne, 'Decimal(10, 2)', '-0.01'],
    [new arrow.DateDay(), new Date(DAY), 'Date32', '1970-01-02'],
    [new arrow.DateMillisecond(), new Date(-DAY), 'Date32', '1969-12-31'],
    [new arrow.TimeSecond(), 3601, 'Time64(0)', '01:00:01'],
    [new arrow.TimeMicrosecond(), 1_000_001n, 'Time64(6)', '00:00:01.000001'],
    [new arrow.TimestampMillisecond(), 1500, 'DateTime64(3)', '1970-01-01 00:00:01.500'],
    [new arrow.TimestampSecond('Europe/Paris'), -1000, "DateTime64(0, 'UTC')", '1969-12-31 23:59:59'], // prettier-ignore
  ])('are taken: %s %s', async (type, value, engineType, text) => {
    expect(parameterBatch(await sent(row(type, value)))).toEqual([{ type: engineType, text }]);
  });

  it('are bytes in hexadecimal digits where these are no text', async () => {
    const bytes = Buffer.from([0xff, 0]);
    for (const type of [new arrow.Binary(), new arrow.LargeBinary()])
      expect(parameterBatch(await sent(row(type, bytes)))).toEqual([{ type: 'String', text: 'ff00', isHex: true }]); // prettier-ignore
  });

  it('are null where they are', async () => {
    const types = [new arrow.Int32(), new arrow.Utf8(), new arrow.Null(), new arrow.Bool(), new arrow.DurationSecond()]; // prettier-ignore
    const columns = types.map((type, at) => [`c${at}`, arrow.vectorFromArray<arrow.DataType>([null], type)] as const); // prettier-ignore
    const table = new arrow.Table(Object.fromEntries([...columns, ['z', arrow.vectorFromArray([7], new arrow.Int8())]])); // prettier-ignore
    expect(parameterBatch(await sent(table))).toEqual([
      ...types.map(() => undefined),
      { type: 'Int8', text: '7' },
    ]);
  });

  it.each<[string, arrow.DataType, unknown, RegExp]>([
    ['a duration', new arrow.DurationSecond(), 1n, /"a".* not taken/],
    ['a list', new arrow.List(new arrow.Field('item', new arrow.Int8())), [1], /bind their text/],
    ['more digits after the point than there are', new arrow.Decimal(11, 10), words(1), /not taken/], // prettier-ignore
    ['half a gigabyte of zeros', new arrow.Decimal(500_000_000, 10), words(1), /not taken/],
    ['a number of more digits than there are', new arrow.Decimal(0, 77), words(1), /not taken/],
  ])('are refused: %s', async (_, type, value, message) => {
    const messages = await sent(row(type, value));
    expect(() => parameterBatch(messages)).toThrow(message);
  });

  it('are believed no length that is not in the bytes', async () => {
    const notes = new Map([['k', 'v']]);
    const column = arrow.vectorFromArray([1], new arrow.Int8()).data[0];
    const fields = [new arrow.Field('a', new arrow.Int8(), true, notes)];
    const data = arrow.makeData({ type: new arrow.Struct(fields), length: 1, nullCount: 0, children: column ? [column] : [] }); // prettier-ignore
    const table = new arrow.Table(new arrow.RecordBatch(new arrow.Schema(fields, notes), data));
    const [schema, batch] = await sent(table);
    if (!schema || !batch) throw new Error('there is no row');
    const header = FlatTable.root(schema.header).table(2);
    // Arrow's library creates as many objects as these numbers say, so the test would not end.
    claim(header?.vector(2, 4), schema.header);
    claim(header?.tables(1)[0]?.vector(6, 4), schema.header);
    expect(parameterBatch([schema, batch])).toEqual([{ type: 'Int8', text: '1' }]);
    claim(FlatTable.root(batch.header).table(2)?.vector(2, 16), batch.header);
    expect(() => parameterBatch([schema, batch])).toThrow('cannot be read');
  });

  it('are not larger together than what was sent', async () => {
    const long = 'x'.repeat(300_000);
    const [schema, batch] = await sent(new arrow.Table(Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, arrow.vectorFromArray([name === 'a' ? long : ''], new arrow.Utf8())])))); // prettier-ignore
    if (!schema || !batch) throw new Error('there is no row');
    const buffers = FlatTable.root(batch.header).table(2)?.vector(2, 16)?.at ?? 0;
    // Each text has three buffers; those of the first are given to the others.
    for (const to of [1, 2, 3]) batch.header.copyWithin(buffers + to * 48, buffers, buffers + 48);
    expect(() => parameterBatch([schema, batch])).toThrow('at most 1048576 characters together');
  });

  it('are read from any bytes, or refused by name', async () => {
    const [schema, batch] = await sent(new arrow.Table({ a: arrow.vectorFromArray(['x'], new arrow.Utf8()), b: arrow.vectorFromArray([1], new arrow.Int32()) })); // prettier-ignore
    if (!schema || !batch) throw new Error('there is no row');
    const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 }); // prettier-ignore
    const changed = (bytes: Buffer, by: readonly (readonly [number, number])[]): Buffer => {
      const copy = Buffer.from(bytes);
      for (const [at, byte] of by) copy[at % copy.length] = byte;
      return copy;
    };
    fc.assert(
      fc.property(changes, changes, changes, (first, second, third) => {
        try {
          parameterBatch([
            { ...schema, header: changed(schema.header, first) },
            { header: changed(batch.header, second), body: changed(batch.body, third) },
          ]);
        } catch (error) {
          expect(error).toMatchObject({ kind: 'INVALID_PARAMETER' });
        }
      }),
      { numRuns: 2000 },
    );
  });
});

function claim(vector: { readonly at: number } | undefined, bytes: Buffer): void {
  if (!vector) throw new Error('there is no such list');
  bytes.writeUInt32LE(2 ** 31 - 1, vector.at - 4);
}
