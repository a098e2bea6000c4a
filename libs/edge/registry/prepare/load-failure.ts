import { MillraceError } from '@app/platform';
import { toWarehouseError } from '@app/warehouse';
import { knownFailure } from '../columns/known-failures.js';
import { withoutSecrets } from '../../describe/without-secrets.js';
import type { DescribedTable } from '../../table-description.js';

const REASON_MAX = 500;

/** Says why a table cannot be served: names the table, its place, and the reason. */
export function loadFailure(table: DescribedTable, error: unknown): MillraceError {
  const reason = error instanceof MillraceError ? error.message : readable(error);
  return new MillraceError(
    'INVALID_PARAMETER',
    `table ${JSON.stringify(table.name)} cannot be loaded from ${withoutSecrets(table.uri)}: ${withoutSecrets(reason)}`,
    { cause: error },
  );
}

/** The engine's sentence without what it says about itself. */
function readable(error: unknown): string {
  const { message } = toWarehouseError(error);
  const sentence = message
    .replace(/:? ?\(in file\/uri [^()]*\)/g, '')
    .replace(/\(version [^()]*(?:\([^()]*\))?\)/g, '')
    .replace(/: ?(?:While executing|In scope|while executing) .*$/s, '')
    .replace(/You can (?:specify|manually).*$/s, '')
    .replace(/'[^']*(?:SharedAccess|AccountKey)[^']*'/g, '…')
    .replace(/Error:\s*Code: \d+\. DB::Exception:\s*|\([A-Z]+_[A-Z_]+\)\s*\.?/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, REASON_MAX);
  return knownFailure(sentence) ?? sentence;
}
