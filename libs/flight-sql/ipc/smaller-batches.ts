import type { RecordBatch } from 'apache-arrow';
import { BOUNDS } from '../flight-sql-bounds.js';
import { bufferOf } from '../protocol/wire.js';
import {
  DICTIONARY,
  encapsulated,
  ipcMessages,
  RECORD_BATCH,
  SCHEMA,
  type IpcMessage,
} from './ipc-messages.js';

/**
 * The same rows in messages that a client of gRPC takes. Blocks of the engine that are larger are
 * written anew in slices; a row that is larger by itself stays, and its reader has to allow for it.
 */
export async function* smallerBatches(
  answer: AsyncIterable<IpcMessage>,
): AsyncGenerator<IpcMessage> {
  let schema: IpcMessage | undefined;
  let hasDictionaries = false;
  for await (const message of answer) {
    if (message.kind === SCHEMA) schema = message;
    hasDictionaries ||= message.kind === DICTIONARY;
    const isCut = message.kind === RECORD_BATCH && sizeOf(message) > BOUNDS.sentMessageBytes;
    if (isCut && schema && !hasDictionaries) yield* slices(schema, message);
    else yield message;
  }
}

const sizeOf = ({ header, body }: IpcMessage): number => header.length + body.length;

async function* slices(schema: IpcMessage, message: IpcMessage): AsyncGenerator<IpcMessage> {
  const { RecordBatchReader } = await import('apache-arrow');
  const stream = Buffer.concat([encapsulated(schema), encapsulated(message)]);
  for (const batch of RecordBatchReader.from(stream)) {
    const count = Math.ceil(sizeOf(message) / BOUNDS.sentMessageBytes);
    const rows = Math.max(1, Math.floor(batch.numRows / count));
    for (let at = 0; at < batch.numRows; at += rows) yield* written(batch.slice(at, at + rows));
  }
}

/** Rows differ in size: what is still too large is halved. */
async function* written(batch: RecordBatch): AsyncGenerator<IpcMessage> {
  const { RecordBatchStreamWriter } = await import('apache-arrow');
  const stream = RecordBatchStreamWriter.writeAll([batch]).toUint8Array(true);
  for await (const message of ipcMessages(only(bufferOf(stream)))) {
    if (message.kind !== RECORD_BATCH) continue;
    if (sizeOf(message) <= BOUNDS.sentMessageBytes || batch.numRows < 2) yield message;
    else {
      const half = Math.ceil(batch.numRows / 2);
      yield* written(batch.slice(0, half));
      yield* written(batch.slice(half));
    }
  }
}

/** A whole answer in memory. */
export async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes);
}
