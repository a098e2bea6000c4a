import { FlatTable } from '@app/arrow';
import { MillraceError } from '@app/platform';
import { RECORD_BATCH, SCHEMA, type IpcMessage } from '../ipc/ipc-messages.js';
import { unfit } from '../unfit.js';
import type { EngineValue } from './engine-value.js';
import { parameterRow, rowsOf } from './parameter-row.js';
import { parameterValues } from './parameter-values.js';

/** The format's slots. */
const MESSAGE = { kind: 1, header: 2 } as const;

type SentMessage = Pick<IpcMessage, 'header' | 'body'>;

/**
 * The values that a client has sent, as the engine takes them; undefined: null. They are read here
 * and not by Arrow's library, which believes every length that it is told.
 * @throws {MillraceError} INVALID_PARAMETER for anything but one row of plain values
 */
export function parameterBatch(sent: readonly SentMessage[]): readonly (EngineValue | undefined)[] {
  const [schema, ...batches] = sent.filter(({ header }) => header.length > 0);
  try {
    if (!schema) throw unfit('want a schema of values first');
    const fields = headerOf(schema, SCHEMA);
    const full = batches
      .map(({ header, body }) => ({ batch: headerOf({ header }, RECORD_BATCH), body }))
      .filter(({ batch }) => rowsOf(batch) !== 0n);
    const [row] = full;
    if (full.length !== 1 || !row) throw unfit(`want one row of values, and ${full.length === 0 ? 'none' : 'several'} came`); // prettier-ignore
    return parameterValues(parameterRow(fields, row.batch, row.body));
  } catch (error) {
    if (error instanceof MillraceError) throw error;
    throw unfit(`the values cannot be read: ${(error as Error).message}`, error);
  }
}

function headerOf({ header }: Pick<SentMessage, 'header'>, kind: number): FlatTable {
  const message = FlatTable.root(header);
  const found = message.table(MESSAGE.header);
  if (message.uint8(MESSAGE.kind) === kind && found) return found;
  throw unfit('want a schema of values, and one block of them');
}
