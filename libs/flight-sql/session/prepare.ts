import { MillraceError } from '@app/platform';
import type * as Arrow from 'apache-arrow';
import { BOUNDS } from '../flight-sql-bounds.js';
import { encapsulated, ipcMessages } from '../ipc/ipc-messages.js';
import { only } from '../ipc/smaller-batches.js';
import { batchOf, writeBatch } from '../metadata/write-rows.js';
import { BY_COMMAND, FlightData } from '../protocol/flight-messages.js';
import { readsOnly, type Question } from '../protocol/commands.js';
import {
  CreatePreparedStatementRequest,
  CreatePreparedStatementResult,
  DoPutPreparedStatementResult,
} from '../protocol/sql-messages.js';
import { parameterBatch } from '../statements/parameter-batch.js';
import { placesOf, valuesWanted } from '../statements/placeholders.js';
import { readHandle, writeHandle, type PreparedStatement } from '../statements/prepared-handle.js';
import { unfit } from '../unfit.js';
import type { Caller } from './calls.js';
import { refuseTransaction, type Questions } from './questions.js';

/** Stands for a value that is not known yet, if null cannot be used. */
const ANY_VALUE = { type: 'Int64', text: '1' };

/** @param request of a client @returns the statement's handle and schemas, as the client is told. @throws {MillraceError} */
export async function prepare(
  request: Buffer,
  questions: Questions,
  caller: Caller,
): Promise<Buffer> {
  const { query: sql, transaction } = CreatePreparedStatementRequest.decode(request);
  refuseTransaction(transaction);
  const wanted = valuesWanted(placesOf(sql));
  if (wanted > BOUNDS.parameters)
    throw unfit(`a statement may have at most ${BOUNDS.parameters} values, and this one wants ${wanted}`); // prettier-ignore
  return CreatePreparedStatementResult.encode({
    handle: writeHandle({ sql, values: [] }),
    datasetSchema: await describe({ sql, values: [] }, wanted, questions, caller),
    ...(wanted > 0 && { parameterSchema: await parameterSchema(wanted) }),
  });
}

/** The types of a statement's columns may depend on its values. */
async function describe(
  { sql }: PreparedStatement,
  wanted: number,
  questions: Questions,
  caller: Caller,
): Promise<Buffer> {
  const withAll = (value: typeof ANY_VALUE | undefined): Promise<Buffer> =>
    questions.schemaOf({ sql, values: Array.from({ length: wanted }, () => value) }, caller);
  try {
    return await withAll(undefined);
  } catch (error) {
    if (wanted === 0 || !(error instanceof MillraceError) || error.kind !== 'INVALID_SQL') throw error; // prettier-ignore
    return withAll(ANY_VALUE);
  }
}

/**
 * Values of any type are accepted; each is declared as a text, because some type must be declared.
 */
async function parameterSchema(count: number): Promise<Buffer> {
  const { Field, Utf8, vectorFromArray } = await import('apache-arrow');
  const type: Arrow.DataType = new Utf8();
  const fields = Array.from({ length: count }, (_, at) => new Field(`$${at + 1}`, type, true));
  const columns = fields.map(() => vectorFromArray<Arrow.DataType>([], type).data[0]);
  const stream = await writeBatch(await batchOf(fields, columns, 0));
  for await (const schema of ipcMessages(only(stream))) return encapsulated(schema);
  throw new RangeError('a block of rows has no schema');
}

/**
 * Binds the values that a client has sent to a statement that it has prepared.
 * @param sent messages of `DoPut`
 * @returns the statement's new handle, as the client is told
 * @throws {MillraceError}
 */
export function bind(sent: readonly Buffer[], readQuestion: (command: Buffer) => Question): Buffer {
  const messages = sent.map((message) => FlightData.decode(message));
  const { type, command } = messages[0]?.descriptor ?? {};
  if (type !== BY_COMMAND || !command) throw unfit('want a command of Flight SQL with the values');
  const question = readQuestion(command);
  if (question.name !== 'CommandPreparedStatementQuery') throw readsOnly();
  const { sql } = readHandle(question.value.handle);
  const values = parameterBatch(messages);
  return DoPutPreparedStatementResult.encode({ handle: writeHandle({ sql, values }) });
}
