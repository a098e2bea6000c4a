import { FlatTable } from '@app/arrow';
import { MillraceError } from '@app/platform';
import { BOUNDS } from '../flight-sql-bounds.js';
import { ByteQueue } from './byte-queue.js';

/** The kinds of messages, as the format numbers them. */
export const [SCHEMA, DICTIONARY, RECORD_BATCH] = [1, 2, 3];

/** A message of Arrow's IPC format. */
export interface IpcMessage {
  readonly kind: number;
  /** Its FlatBuffer, without mark and length. */
  readonly header: Buffer;
  readonly body: Buffer;
}

const MESSAGE = { kind: 1, bodyLength: 3 } as const;
const CONTINUATION = 0xffffffff;
/** A mark and a length; a length of 0 ends the messages. */
const PREFIX_BYTES = 8;

/**
 * Cuts an answer in Arrow's streaming format into its messages. No value is looked at.
 * @throws {MillraceError} RESULT_TOO_LARGE for a block of rows that cannot be held; the errors of
 * the answer
 */
export async function* ipcMessages(answer: AsyncIterable<Buffer>): AsyncGenerator<IpcMessage> {
  const bytes = new ByteQueue(answer);
  try {
    for (;;) {
      const length = (await bytes.take(PREFIX_BYTES))?.readUInt32LE(PREFIX_BYTES / 2);
      if (length === undefined || length === 0) return;
      const header = await whole(bytes, length);
      const message = FlatTable.root(header);
      const bodyLength = Number(message.int64(MESSAGE.bodyLength));
      if (bodyLength > BOUNDS.blockBytes)
        throw new MillraceError(
          'RESULT_TOO_LARGE',
          `a block of rows has ${bodyLength} bytes, and at most ${BOUNDS.blockBytes} are sent at once; ask for fewer columns, or shorter values`,
        );
      const body = await whole(bytes, bodyLength);
      yield { kind: message.uint8(MESSAGE.kind), header, body };
    }
  } finally {
    await bytes.close();
  }
}

/** @throws {RangeError} if the answer ends earlier */
async function whole(bytes: ByteQueue, length: number): Promise<Buffer> {
  const taken = await bytes.take(length);
  if (!taken) throw new RangeError(`an answer ends ${length} bytes too early`);
  return taken;
}

/** A message as it stands in a stream, or alone: schemas are sent like this. */
export function encapsulated({ header, body }: Pick<IpcMessage, 'header' | 'body'>): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32LE(CONTINUATION);
  prefix.writeUInt32LE(header.length, PREFIX_BYTES / 2);
  return Buffer.concat([prefix, header, body]);
}
