import { z } from 'zod';
import { explainIssues, MillraceError, type ErrorKind } from '@app/platform';
import { toWarehouseError } from '@app/warehouse';

/** OpenObserve's error numbers, which search answers in place of the HTTP status. */
export const SEARCH_CODE = {
  invalidSql: 20001,
  streamNotFound: 20002,
  noFullTextField: 20003,
  noSuchField: 20004,
  noSuchFunction: 20005,
  incompatibleType: 20007,
  executeError: 20008,
  timeout: 20010,
  noHistogram: 20013,
  aggregation: 10001,
} as const;

/** A mistake in a search, found by us. */
export function searchError(code: number, message: string): MillraceError {
  return new MillraceError('INVALID_SEARCH', message, { code, detail: '' });
}

const BY_KIND: Partial<Record<ErrorKind, number>> = {
  STREAM_NOT_FOUND: SEARCH_CODE.streamNotFound,
  UNKNOWN_COLUMN: SEARCH_CODE.noSuchField,
  STATEMENT_REFUSED: SEARCH_CODE.invalidSql,
  EMPTY_BODY: SEARCH_CODE.invalidSql,
  MALFORMED_BODY: SEARCH_CODE.invalidSql,
  INVALID_PARAMETER: SEARCH_CODE.invalidSql,
};
/** The engine's names of errors about types. */
const TYPE_ERRORS =
  /^(?:ILLEGAL_TYPE_OF_ARGUMENT|TYPE_MISMATCH|NO_COMMON_TYPE|CANNOT_CONVERT_TYPE|CANNOT_PARSE_\w+|ILLEGAL_COLUMN)$/;

/**
 * Converts a failure to a search's answer. A failure that is not the caller's fault does not
 * change.
 */
export function toSearchError(error: unknown): unknown {
  if (!(error instanceof MillraceError) || error.code !== undefined) return error;
  if (error.kind === 'QUERY_TIMEOUT') return withCode(error, 'QUERY_TIMEOUT', SEARCH_CODE.timeout);
  const code = BY_KIND[error.kind] ?? (error.kind === 'INVALID_SQL' ? sqlCode(error) : undefined);
  return code === undefined ? error : withCode(error, 'INVALID_SEARCH', code);
}

/** Runs a reader of search parameters, and converts its errors to a search's answer. */
export async function readAsSearch<Result>(read: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    const isOfShape = error instanceof z.ZodError;
    throw toSearchError(
      isOfShape ? new MillraceError('INVALID_PARAMETER', explainIssues(error)) : error,
    );
  }
}

/** A failure of the aggregation `name`. */
export function toAggregationError(error: unknown, name: string): unknown {
  const failure = toSearchError(error);
  if (!(failure instanceof MillraceError) || failure.kind !== 'INVALID_SEARCH') return failure;
  return new MillraceError(
    'INVALID_SEARCH',
    `aggregation ${JSON.stringify(name)}: ${failure.message}`,
    { code: SEARCH_CODE.aggregation, detail: failure.detail ?? '', cause: failure },
  );
}

function withCode(error: MillraceError, kind: ErrorKind, code: number): MillraceError {
  return new MillraceError(kind, error.message, { code, detail: error.detail ?? '', cause: error });
}

function sqlCode({ cause, message }: MillraceError): number {
  if (/cannot be read as/.test(message)) return SEARCH_CODE.incompatibleType;
  if (cause === undefined) return SEARCH_CODE.invalidSql;
  const { type } = toWarehouseError(cause);
  if (type === 'UNKNOWN_FUNCTION') return SEARCH_CODE.noSuchFunction;
  if (TYPE_ERRORS.test(type)) return SEARCH_CODE.incompatibleType;
  return type === 'SYNTAX_ERROR' ? SEARCH_CODE.invalidSql : SEARCH_CODE.executeError;
}
