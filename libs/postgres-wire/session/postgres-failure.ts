import { isAbort, MillraceError, type ErrorKind } from '@app/platform';
import { isWrite } from '@app/query';
import { WarehouseError } from '@app/warehouse';
import { PostgresError } from '../protocol/protocol-error.js';
import type { EngineText } from '../statements/engine-text.js';

/** The SQLSTATE for each kind of failure. */
const STATES: Readonly<Partial<Record<ErrorKind, string>>> = {
  INVALID_SQL: '42601',
  EMPTY_BODY: '42601',
  UNKNOWN_COLUMN: '42703',
  STREAM_NOT_FOUND: '42P01',
  INVALID_PARAMETER: '22023',
  STATEMENT_REFUSED: '42501',
  FORBIDDEN: '42501',
  UNAUTHORIZED: '28P01',
  ORGANIZATION_NOT_FOUND: '3D000',
  QUERY_TIMEOUT: '57014',
  RESULT_TOO_LARGE: '54000',
  TOO_MANY_REQUESTS: '53400',
  TABLE_UNREADABLE: '58030',
  NOT_READY: '57P03',
  SHUTTING_DOWN: '57P01',
};

/** The SQLSTATEs for errors of the engine that PostgreSQL also has. */
const OF_ENGINE: Readonly<Record<number, string>> = {
  6: '22P02',
  27: '22P02',
  38: '22007',
  41: '22007',
  46: '42883',
  42: '42883',
  43: '42883',
  53: '42804',
  70: '42846',
  72: '22P02',
  153: '22012',
  184: '42803',
  215: '42803',
  179: '42712',
  386: '42804',
  407: '22003',
  69: '22003',
};
/** For some statements, the engine takes the first word for the name of a column. */
const REFUSED: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  'STATEMENT_REFUSED',
  'INVALID_SQL',
  'UNKNOWN_COLUMN',
]);
const PLACE = /at line (\d+), column (\d+)/;

/**
 * Converts any failure into the error for the client.
 * @param text the statement as the engine got it
 */
export function toPostgresError(error: unknown, text?: EngineText): PostgresError {
  if (error instanceof PostgresError) return error;
  if (isAbort(error)) return new PostgresError('57014', 'canceling statement due to user request');
  if (!(error instanceof MillraceError))
    return new PostgresError('XX000', 'this failed at the server, whose log says why');
  const { cause, kind, message } = error;
  const state =
    (kind === 'INVALID_SQL' && cause instanceof WarehouseError && OF_ENGINE[cause.code]) ||
    (STATES[kind] ?? 'XX000');
  const position = text && positionOf(message, text);
  const writes = REFUSED.has(kind) && isWrite(text?.text ?? '');
  return new PostgresError(
    writes ? '25006' : state,
    writes ? `cannot execute ${firstWord(text?.text ?? '').toUpperCase()} in a read-only transaction: only reading is possible here` : message, // prettier-ignore
    { position: writes ? 0 : position },
  );
}

const firstWord = (text: string): string => /^\s*([a-z]+)/i.exec(text)?.[1] ?? '';

/** The place in the client's own text. */
function positionOf(message: string, { text, placeOf }: EngineText): number | undefined {
  const [, line, column] = PLACE.exec(message)?.map(Number) ?? [];
  if (line === undefined || column === undefined) return undefined;
  const before = text.split('\n').slice(0, line - 1);
  const start = before.reduce((sum, each) => sum + each.length + 1, 0);
  return placeOf(start + column - 1);
}
