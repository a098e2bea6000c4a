import { FlatTable } from '@app/arrow';
import { MillraceError } from '@app/platform';
import type { RecordBatch } from 'apache-arrow';
import { BOUNDS } from '../bounds.js';
import { encapsulated, RECORD_BATCH, SCHEMA, type IpcMessage } from '../ipc/ipc-messages.js';
import { unfit } from '../unfit.js';

/** The format's slots. */
const MESSAGE = { kind: 1, header: 2 } as const;
const [FIELDS_OF_SCHEMA, CHILDREN_OF_FIELD, DICTIONARY_OF_FIELD] = [1, 5, 4];
const BATCH = { length: 0, nodes: 1, compression: 3 } as const;
const NODE_BYTES = 16;

type SentMessage = Pick<IpcMessage, 'header' | 'body'>;

/**
 * The row of values that a client has sent.
 * @throws {MillraceError} INVALID_PARAMETER for anything but one row of plain values
 */
export async function parameterBatch(sent: readonly SentMessage[]): Promise<RecordBatch> {
  const [schema, ...batches] = sent.filter(({ header }) => header.length > 0);
  try {
    if (!schema) throw unfit('want a schema of values first');
    checkSchema(schema);
    const full = batches.filter((each) => rowsOf(each) > 0);
    const [row] = full;
    if (full.length !== 1 || !row) throw unfit(`want one row of values, and ${full.length === 0 ? 'none' : 'several'} came`); // prettier-ignore
    checkRow(row);
    const { RecordBatchReader } = await import('apache-arrow');
    const stream = Buffer.concat([encapsulated(schema), encapsulated(row)]);
    for (const batch of RecordBatchReader.from(stream)) return batch;
    throw unfit('want one row of values');
  } catch (error) {
    if (error instanceof MillraceError) throw error;
    throw unfit(`the values cannot be read: ${(error as Error).message}`, error);
  }
}

/** Nested fields could lead to the same place many times, so that readers would not come to an end. */
function checkSchema(message: SentMessage): void {
  const fields = headerOf(message, SCHEMA).tables(FIELDS_OF_SCHEMA);
  if (fields.length > BOUNDS.parameters)
    throw unfit(`a statement may have at most ${BOUNDS.parameters} values`);
  for (const field of fields)
    if (field.tables(CHILDREN_OF_FIELD).length > 0 || field.table(DICTIONARY_OF_FIELD))
      throw unfit('lists, structs, maps and dictionaries are not taken as values; bind their text');
}

const rowsOf = (message: SentMessage): bigint =>
  headerOf(message, RECORD_BATCH).int64(BATCH.length);

function checkRow(message: SentMessage): void {
  const batch = headerOf(message, RECORD_BATCH);
  if (batch.int64(BATCH.length) !== 1n) throw unfit('want one row of values, and several came');
  if (batch.table(BATCH.compression)) throw unfit('want values that are not compressed');
  const nodes = batch.vector(BATCH.nodes, NODE_BYTES)?.length ?? 0;
  for (let node = 0; node < nodes; node += 1)
    if (batch.int64At(BATCH.nodes, node, NODE_BYTES, 0) !== 1n)
      throw unfit('want one row of values');
}

function headerOf({ header }: SentMessage, kind: number): FlatTable {
  const message = FlatTable.root(header);
  const found = message.table(MESSAGE.header);
  if (message.uint8(MESSAGE.kind) === kind && found) return found;
  throw unfit('want a schema of values, and one block of them');
}
