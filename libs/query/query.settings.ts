import { positive, wholeNumber } from '@app/settings';
import type { QueryLimits } from '@app/warehouse';
import type { z } from 'zod';
import type { OrganizationQueryLimits } from './organization-queries.js';

const GIB = 1024 ** 3;

/** The limits of each query, and of all queries of one organization. */
export interface QueryLimitsOfAll extends QueryLimits {
  readonly organization: OrganizationQueryLimits;
}

/** The variables that bound queries. Sizes are in bytes. */
export const queryVariables = {
  MILLRACE_QUERY_TIMEOUT_SECONDS: positive(30),
  MILLRACE_QUERY_MEMORY_BYTES: positive(2 * GIB),
  MILLRACE_QUERY_READ_ROWS: positive(10_000_000_000),
  MILLRACE_QUERY_READ_BYTES: positive(1024 * GIB),
  MILLRACE_QUERY_RESULT_ROWS: positive(10_000_000),
  MILLRACE_QUERY_RESULT_BYTES: positive(4 * GIB),
  MILLRACE_ORG_QUERIES: positive(4),
  MILLRACE_ORG_QUERIES_WAITING: wholeNumber(100),
  MILLRACE_ORG_QUERY_SECONDS: positive(240),
  MILLRACE_ORG_RESULT_BYTES: positive(16 * GIB),
  MILLRACE_ORG_READ_ROWS: positive(20_000_000_000),
  MILLRACE_ORG_READ_BYTES: positive(2048 * GIB),
};

type Values = z.output<z.ZodObject<typeof queryVariables>>;

export function queryLimits(values: Values): QueryLimitsOfAll {
  return {
    timeoutSeconds: values.MILLRACE_QUERY_TIMEOUT_SECONDS,
    memoryBytes: values.MILLRACE_QUERY_MEMORY_BYTES,
    readRows: values.MILLRACE_QUERY_READ_ROWS,
    readBytes: values.MILLRACE_QUERY_READ_BYTES,
    resultRows: values.MILLRACE_QUERY_RESULT_ROWS,
    resultBytes: values.MILLRACE_QUERY_RESULT_BYTES,
    organization: {
      running: values.MILLRACE_ORG_QUERIES,
      waiting: values.MILLRACE_ORG_QUERIES_WAITING,
      // A query that waits longer than a query may run would probably wait in vain.
      waitSeconds: values.MILLRACE_QUERY_TIMEOUT_SECONDS,
      seconds: values.MILLRACE_ORG_QUERY_SECONDS,
      resultBytes: values.MILLRACE_ORG_RESULT_BYTES,
      readRows: values.MILLRACE_ORG_READ_ROWS,
      readBytes: values.MILLRACE_ORG_READ_BYTES,
    },
  };
}
