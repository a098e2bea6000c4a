import { MillraceError } from '@app/platform';

/**
 * The number of rows to skip, given directly or by pages of `limit` rows, counted from 1.
 * @throws {MillraceError} INVALID_PARAMETER
 */
export function pageOffset({
  page,
  offset,
  limit,
}: {
  readonly page: number | undefined;
  readonly offset: number | undefined;
  readonly limit: number | undefined;
}): number | undefined {
  if (page === undefined) return offset;
  if (offset !== undefined) throw invalid('page and offset say the same; send one of them');
  if (limit === undefined) throw invalid('page needs limit, the rows of a page');
  if (page === 0) throw invalid('parameter page: pages count from 1');
  const skipped = (page - 1) * limit;
  if (!Number.isSafeInteger(skipped)) throw invalid('parameter page is beyond what can be counted');
  return skipped;
}

function invalid(message: string): MillraceError {
  return new MillraceError('INVALID_PARAMETER', message);
}
