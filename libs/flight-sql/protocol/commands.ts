import { MillraceError } from '@app/platform';
import {
  Any,
  CommandGetCatalogs,
  CommandGetDbSchemas,
  CommandGetKeys,
  CommandGetSqlInfo,
  CommandGetTables,
  CommandGetTableTypes,
  CommandPreparedStatementQuery,
  CommandStatementQuery,
  TicketStatementQuery,
} from './sql-messages.js';
import { unfit } from '../unfit.js';
import type { MessageOf } from './wire.js';

const PACKAGE = 'type.googleapis.com/arrow.flight.protocol.sql.';

/** The questions that are answered by rows, each by the name of its message. */
const QUESTIONS = {
  CommandStatementQuery,
  TicketStatementQuery,
  CommandPreparedStatementQuery,
  CommandGetSqlInfo,
  CommandGetCatalogs,
  CommandGetDbSchemas,
  CommandGetTables,
  CommandGetTableTypes,
  CommandGetPrimaryKeys: CommandGetKeys,
  CommandGetExportedKeys: CommandGetKeys,
  CommandGetImportedKeys: CommandGetKeys,
  CommandGetCrossReference: CommandGetKeys,
} as const;

type Name = keyof typeof QUESTIONS;
type QuestionOf<Of extends Name> = {
  readonly name: Of;
  readonly value: MessageOf<(typeof QUESTIONS)[Of]>;
};
/** A question, and which one it is. */
export type Question = { [Of in Name]: QuestionOf<Of> }[Name];

const WRITES = /(?:Update|Ingest)$/;

/** @throws {MillraceError} INVALID_PARAMETER, STATEMENT_REFUSED */
export function readQuestion(bytes: Uint8Array): Question {
  const { name, value } = readAny(bytes);
  if (WRITES.test(name)) throw readsOnly();
  if (!isKnown(name))
    throw unfit(
      `${JSON.stringify(name.slice(0, 80))} is not answered here; want one of ${Object.keys(QUESTIONS).join(', ')}`,
    );
  return { name, value: QUESTIONS[name].decode(value) } as Question;
}

const isKnown = (name: string): name is Name => Object.hasOwn(QUESTIONS, name);

/** A message of Flight SQL, and its name without the package. @throws {MillraceError} INVALID_PARAMETER */
export function readAny(bytes: Uint8Array): { readonly name: string; readonly value: Buffer } {
  const { typeUrl, value } = Any.decode(bytes);
  if (typeUrl.startsWith(PACKAGE)) return { name: typeUrl.slice(PACKAGE.length), value };
  throw unfit('want a command of Arrow Flight SQL; other flights are not known here');
}

export const writeAny = (name: string, value: Buffer): Buffer =>
  Any.encode({ typeUrl: `${PACKAGE}${name}`, value });

/** The error for every command that would change something. */
export const readsOnly = (cause?: unknown): MillraceError =>
  new MillraceError('STATEMENT_REFUSED', 'only reading is possible here: nothing can be written', {
    cause,
  });
