import type { Data, DataType, RecordBatch } from 'apache-arrow';
import { bufferOf } from '../protocol/wire.js';

/** A column of an answer about the tables, with its values. */
export interface MetadataColumn {
  readonly name: string;
  readonly type: 'text' | 'bytes' | 'int32' | 'uint8';
  readonly isNullable: boolean;
  readonly values: readonly (string | Buffer | number | null)[];
}

export const column = (
  name: string,
  values: MetadataColumn['values'],
  { type = 'text', isNullable = false }: Partial<Pick<MetadataColumn, 'type' | 'isNullable'>> = {},
): MetadataColumn => ({ name, type, isNullable, values });

/** Rows of such columns in Arrow's streaming format. */
export async function writeRows(columns: readonly MetadataColumn[]): Promise<Buffer> {
  const { Binary, Field, Int32, Uint8, Utf8, vectorFromArray } = await import('apache-arrow');
  const types = { text: new Utf8(), bytes: new Binary(), int32: new Int32(), uint8: new Uint8() };
  const fields = columns.map(({ name, type, isNullable }) => new Field<DataType>(name, types[type], isNullable)); // prettier-ignore
  const data = columns.map(({ type, values }) => vectorFromArray<DataType>([...values], types[type]).data[0]); // prettier-ignore
  return writeBatch(await batchOf(fields, data, columns[0]?.values.length ?? 0));
}

/** A block of rows of these columns. */
export async function batchOf(
  fields: readonly import('apache-arrow').Field[],
  columns: readonly (Data | undefined)[],
  length: number,
): Promise<RecordBatch> {
  const { makeData, RecordBatch: Batch, Schema, Struct } = await import('apache-arrow');
  const children = columns.filter((each) => each !== undefined);
  const type = new Struct([...fields]);
  return new Batch(new Schema([...fields]), makeData({ type, length, nullCount: 0, children }));
}

export async function writeBatch(batch: RecordBatch): Promise<Buffer> {
  const { RecordBatchStreamWriter } = await import('apache-arrow');
  return bufferOf(RecordBatchStreamWriter.writeAll([batch]).toUint8Array(true));
}
