import { didYouMean, MillraceError, type RequestOrganization } from '@app/platform';
import type { Catalog, TableDescription } from '../../catalog.js';
import { nameFinder } from '../../name-of.js';

/** The table in a path. @throws {MillraceError} STREAM_NOT_FOUND with a similar name */
export function knownTable(
  catalog: Catalog,
  organization: RequestOrganization,
  name: string,
): TableDescription {
  const exact = catalog.table(organization, name);
  if (exact) return exact;
  const known = catalog.tables(organization).map((each) => each.name);
  const table = catalog.table(organization, nameFinder(known)(name));
  if (table) return table;
  throw new MillraceError(
    'STREAM_NOT_FOUND',
    `there is no table ${JSON.stringify(name)}${didYouMean(name, known)}`,
  );
}
