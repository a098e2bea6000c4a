import type { FailureForm } from '@app/http';
import type { ErrorKind } from '@app/platform';
import { WarehouseError } from '@app/warehouse';

interface EngineError {
  readonly code: number;
  readonly type: string;
}

/** ClickHouse's own error numbers for our failures. Its clients use them to decide what to do. */
const OF_KIND: Readonly<Partial<Record<ErrorKind, EngineError>>> = {
  UNAUTHORIZED: { code: 516, type: 'AUTHENTICATION_FAILED' },
  FORBIDDEN: { code: 497, type: 'ACCESS_DENIED' },
  STATEMENT_REFUSED: { code: 497, type: 'ACCESS_DENIED' },
  INVALID_SQL: { code: 62, type: 'SYNTAX_ERROR' },
  UNKNOWN_COLUMN: { code: 47, type: 'UNKNOWN_IDENTIFIER' },
  STREAM_NOT_FOUND: { code: 60, type: 'UNKNOWN_TABLE' },
  ORGANIZATION_NOT_FOUND: { code: 81, type: 'UNKNOWN_DATABASE' },
  INVALID_PARAMETER: { code: 36, type: 'BAD_ARGUMENTS' },
  QUERY_TIMEOUT: { code: 159, type: 'TIMEOUT_EXCEEDED' },
  RESULT_TOO_LARGE: { code: 396, type: 'TOO_MANY_ROWS_OR_BYTES' },
  TOO_MANY_REQUESTS: { code: 202, type: 'TOO_MANY_SIMULTANEOUS_QUERIES' },
  UPLOAD_TOO_LARGE: { code: 307, type: 'TOO_MANY_BYTES' },
};
const OTHER: EngineError = { code: 1001, type: 'STD_EXCEPTION' };

/** A failure in ClickHouse's form: its number in a header, its name behind the message. */
export const asClickHouse: FailureForm = ({ kind, message, cause }) => {
  const known = OF_KIND[kind];
  const engine = kind === 'INVALID_SQL' && cause instanceof WarehouseError && cause.code > 0;
  const { code, type } = engine ? cause : (known ?? OTHER);
  return {
    type: 'text/plain; charset=UTF-8',
    body: `Code: ${code}. DB::Exception: ${message}. (${type})\n`,
    headers: { 'X-ClickHouse-Exception-Code': String(code) },
  };
};
