import { didYouMean, MillraceError, type RequestOrganization } from '@app/platform';
import type { Catalog, TableDescription } from '../catalog.js';

/** A table that a path names. @throws {MillraceError} STREAM_NOT_FOUND with a near name */
export function knownTable(
  catalog: Catalog,
  organization: RequestOrganization,
  name: string,
): TableDescription {
  const table = catalog.table(organization, name);
  if (table) return table;
  const known = catalog.tables(organization).map((each) => each.name);
  throw new MillraceError(
    'STREAM_NOT_FOUND',
    `there is no table ${JSON.stringify(name)}${didYouMean(name, known)}`,
  );
}
