import { join } from 'node:path';
import type { PersonKeys, ServerKey } from '@app/key-store';
import type { Config } from '@app/config';
import type { PersonKeyTable } from '@app/warehouse';

/**
 * Keys of people: in the data directory, or, where events and tables are on servers that other
 * processes use too, in a table there. What the directory has is moved.
 * @throws when the keys that are there were wrapped with another server key
 */
export async function openPersonKeys(
  { dataDirectory, clickHouse, eventStore }: Config,
  serverKey: ServerKey,
  table: PersonKeyTable,
): Promise<PersonKeys> {
  const { EmbeddedPersonKeys } = await import('@app/key-store/embedded');
  const own = new EmbeddedPersonKeys(join(dataDirectory, 'person-keys'), serverKey);
  if (clickHouse === undefined || eventStore === undefined) return own;
  const { SharedPersonKeys } = await import('@app/key-store/key-table');
  const shared = await SharedPersonKeys.open(table, serverKey);
  for (const personId of own.personIds()) {
    // A file goes when its key is in the table, and not before.
    for (const key of own.find(personId)) await shared.adopt(personId, key);
    await own.drop(personId);
  }
  return shared;
}
