import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { writeDurablySync } from '@app/files';

const isOf = (definition: string, uuid: string): boolean =>
  new RegExp(`^ATTACH DATABASE \\S+ UUID '${uuid}'\\s+ENGINE = \\w+`).test(definition);

/**
 * Gives the databases in the engine's folder their names, by their numbers. The engine keeps a link
 * beside the definition of each, which leads to the definitions of its tables.
 */
export function databasesIn(store: string): ReadonlyMap<string, string> {
  const metadata = join(store, 'metadata');
  if (!existsSync(metadata)) return new Map();
  const links = readdirSync(metadata, { withFileTypes: true }).filter((each) =>
    each.isSymbolicLink(),
  );
  return new Map(
    links.map(({ name }) => [basename(readlinkSync(join(metadata, name))), name] as const),
  );
}

/**
 * Writes definitions of databases again that are gone or not readable. Without one the engine does
 * not start, or knows nothing of the database, whose tables would be made again, empty. All that a
 * definition says is in the link beside it.
 * @returns the databases
 */
export function mendDatabases(store: string): readonly string[] {
  const mended: string[] = [];
  for (const [uuid, database] of databasesIn(store)) {
    const metadata = join(store, 'metadata');
    const file = join(metadata, `${database}.sql`);
    const definition = existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (isOf(definition, uuid) || !existsSync(join(metadata, database))) continue;
    writeDurablySync(file, Buffer.from(`ATTACH DATABASE _ UUID '${uuid}'\nENGINE = Atomic\n`));
    mended.push(database);
  }
  return mended;
}
